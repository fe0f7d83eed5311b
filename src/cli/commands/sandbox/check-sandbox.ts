import { present, sandboxProgram } from '../../../host/sandbox.ts'
import { checkSrt } from '../../../runners/sandbox/check-srt.ts'
import type { Io } from '../../../runs/io.ts'

/** Says whether a sandbox works here: exit code 0 if one does. */
export async function checkSandbox({ stdout, env }: Io): Promise<number> {
  const say = (line: string) => void stdout.write(`${line}\n`)
  const missing = await checkSrt({ program: sandboxProgram(), project: process.cwd(), env: present(env) })
  if (missing.length > 0) {
    say('srt does not work here:')
    for (const { what, remedy } of missing) say(`  ${what}; ${remedy}`)
    return 1
  }
  say('srt works here: a program was run inside')
  if (process.getuid?.() === 0)
    say('  but it is no boundary for root, who can write to /proc/sys inside; run ralph as another user')
  return 0
}
