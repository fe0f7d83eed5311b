import { UsageError } from '../../../core/usage-error.ts'
import { quote } from '../../../core/visible.ts'
import { sandboxProgram } from '../../../host/sandbox.ts'
import { checkSrt } from '../../../runners/sandbox/check-srt.ts'
import type { Io } from '../../../runs/io.ts'
import { present } from '../../../settings/environment.ts'
import { checkDocker } from './check-docker.ts'

/** Says whether a sandbox works here: exit code 0 if it does. */
export async function checkSandbox(which: string, options: { agent?: string }, io: Io): Promise<number> {
  if (which === 'docker') return checkDocker(io, options.agent)
  if (which !== 'srt')
    throw new UsageError(`there is no sandbox ${quote(which)} to check; give docker or srt`)
  const { stdout, env } = io
  const say = (line: string) => void stdout.write(`${line}\n`)
  const missing = await checkSrt({ program: sandboxProgram(), project: process.cwd(), env: present(env) })
  if (missing.length > 0) {
    say('srt does not work here:')
    for (const { what, remedy } of missing) say(`  ${what}; ${remedy}`)
    return 1
  }
  say('srt works here: a program was run inside')
  if (process.getuid?.() === 0)
    say('  but it does not contain root, who can write to /proc/sys inside; run ralph as another user')
  return 0
}
