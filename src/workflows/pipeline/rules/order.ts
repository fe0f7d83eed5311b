/** How often a stage may be tried. */
const TRIES = new Map([
  ['coder', 15],
  ['reviewer', 5],
  ['tester', 10],
  ['qa', 5],
])
const OTHER_TRIES = 10

/** How often the stage of a role may be tried, where nobody says. */
export const triesOf = (role: string): number => TRIES.get(role) ?? OTHER_TRIES

/** Roles that only look, as ralph knows them. */
export const READERS: readonly string[] = ['reviewer', 'qa']

/** Whether a role may change files. */
export const mayWrite = ({ name, writes }: { name: string; writes?: boolean }): boolean =>
  writes ?? !READERS.includes(name)

/** The role that work is sent back to. */
export const sendsBackTo = (roles: readonly string[]): string =>
  roles.includes('coder') ? 'coder' : (roles[0] ?? 'coder')

/** Whether a role comes after that one, and so may send work back. */
export const maySendBack = (roles: readonly string[], role: string): boolean =>
  roles.indexOf(role) > roles.indexOf(sendsBackTo(roles))
