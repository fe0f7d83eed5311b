const LONGEST = 40

/** Why a text cannot be the name of a worker, which is also the name of a folder and of a tmux window; null: it can. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'it is empty'
  if (name.length > LONGEST) return `it is longer than ${LONGEST} characters`
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name))
    return 'it must begin with a letter or a digit, and have letters, digits, - and _ only'
  if (/^\d+$/.test(name)) return 'it needs a letter, because tmux takes a number for the place of a window'
  return /^\d{8}-\d{6}/.test(name) ? 'it looks like the id of a run' : null
}

const QUALITIES =
  'amber brave brisk calm clever fair fresh gentle happy keen merry neat quick quiet swift warm'
const ANIMALS = 'badger crane finch fox hare heron lark lynx marten otter owl robin seal stoat swan wren'

/** A readable name that is not taken. `random`: a number from 0 to 1 each time it is called. */
export function randomName(random: () => number, isTaken: (name: string) => boolean): string {
  const one = (words: string) => {
    const list = words.split(' ')
    return list[Math.floor(random() * list.length)]!
  }
  for (let tries = 0; tries < 50; tries++) {
    const name = `${one(QUALITIES)}-${one(ANIMALS)}`
    if (!isTaken(name)) return name
  }
  for (let n = 2; ; n++) {
    const name = `${one(QUALITIES)}-${one(ANIMALS)}-${n}`
    if (!isTaken(name)) return name
  }
}
