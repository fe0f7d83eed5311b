import { setMaxListeners } from 'node:events'
import { safeJson } from '../../../core/visible.ts'
import { sandboxProgram } from '../../../host/sandbox.ts'
import { commandRunner } from '../../../runners/run-command.ts'
import { checkSrt } from '../../../runners/sandbox/check-srt.ts'
import { projectOf } from '../../../runs/project.ts'
import { present } from '../../../settings/environment.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'
import { terminalStyle } from '../../../terminal/console.ts'
import { safeIo } from '../../../terminal/print.ts'
import type { DoctorOptions } from '../../verbs/begin.ts'
import { examine } from './examine.ts'
import { showDiagnosis } from './show.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Says whether ralph can run here, and which agents and tools there are. */
export async function diagnose(options: DoctorOptions): Promise<number> {
  const { env, stdout } = safeIo(process.env)
  const cwd = projectOf(options.projectDir, process.env)
  const interrupted = new AbortController()
  // Each program that is asked listens to it, all at once.
  setMaxListeners(0, interrupted.signal)
  for (const name of SIGNALS) process.once(name, () => interrupted.abort())
  const machine = {
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    cgroup: textAt('/proc/self/cgroup', { limit: LIMITS.small }),
  }
  const run = commandRunner(interrupted.signal)
  const place = { program: sandboxProgram(), project: cwd, env: present(env), run }
  const { facts, groups, obstacles } = await examine(
    { env, cwd, run, machine, checkSrt: () => checkSrt(place), isRoot: process.getuid?.() === 0 },
    { environment: options.env ?? false },
  )
  if (interrupted.signal.aborted) return 130
  const text = options.json
    ? safeJson({ ok: obstacles.length === 0, obstacles, ...facts }, 2)
    : showDiagnosis(
        { groups, obstacles, environment: facts.environment },
        terminalStyle(stdout, env),
        stdout.isTTY ? stdout.columns || 80 : null,
      ).join('\n')
  stdout.write(`${text}\n`)
  return obstacles.length === 0 ? 0 : 1
}
