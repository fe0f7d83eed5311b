import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isNoRoom, whenRoom } from '../../core/trouble/no-room.ts'
import { limitFor } from './marks.ts'
import { readLimit } from './procfs.ts'

/** From util-linux. A folder that an agent can write to must not replace it. */
const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit', '/run/current-system/sw/bin/prlimit']

/** The mark of an incarnation that its processes keep when they clear their environment. */
export type LimitMark = {
  /** In digits; null: there is none. */
  value: string | null
  /** The words before a command that set it. Empty where the system cannot. */
  prefix(): Promise<string[]>
}

export function limitMark(run: string, incarnation: string): LimitMark {
  const program = PRLIMIT.find(path => existsSync(path))
  const value = program === undefined ? null : limitFor(run, incarnation, readLimit('self'))
  if (program === undefined || value === null) return { value: null, prefix: async () => [] }
  const prefix = [program, `--locks=${value}`, '--']
  // A sandbox may forbid it, or have no such limit. Then nothing could be started, so it is tried first.
  const canSet = () => canRun([...prefix, 'cat', '/proc/self/limits'], value)
  const tried = whenRoom(program, delay, canSet).then(works => (works ? prefix : []))
  // Whoever asks for the prefix is told.
  tried.catch(() => {})
  return { value, prefix: () => tried }
}

const canRun = ([program = '', ...args]: string[], value: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    execFile(program, args, { env: { PATH: '/usr/bin:/bin' }, cwd: '/' }, (error, out) => {
      if (isNoRoom(error)) reject(error)
      else resolve(!error && out.includes(` ${value} `))
    })
  })
