const LONGEST = 40

/** Why a text cannot be the name of a worker, which is also the name of a folder and of a tmux window. Null if it can. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'it is empty'
  if (name.length > LONGEST) return `it is longer than ${LONGEST} characters`
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name))
    return 'it must begin with a letter or a digit, and have letters, digits, - and _ only'
  if (/^\d+$/.test(name)) return 'it needs a letter, because tmux takes a number for the place of a window'
  return /^\d{8}-\d{6}/.test(name) ? 'it looks like the id of a run' : null
}

/** A short name that is not taken. `random`: a number from 0 to 1 each time it is called. */
export function randomName(random: () => number, isTaken: (name: string) => boolean): string {
  for (;;) {
    const name = `worker-${Math.floor(random() * 36 ** 3)
      .toString(36)
      .padStart(3, '0')}`
    if (!isTaken(name)) return name
  }
}
