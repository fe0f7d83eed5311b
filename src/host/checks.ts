import { join } from 'node:path'
import { guardrail } from '../checks/guardrail.ts'
import { slugsOf } from '../checks/message.ts'
import type { Check } from '../core/ports.ts'
import { repositoryCheck } from '../git/watch-head.ts'
import type { RunRunner } from '../runners/index.ts'
import { openNewFile } from '../store/files/new-file.ts'
import type { Session } from '../store/session.ts'
import { commandGuardrails, type RunSpec } from '../workflows/spec.ts'

/** The checks of a run, in the order they run. */
export function composeChecks(c: {
  spec: RunSpec
  runner: RunRunner
  session: Session
  env: Record<string, string>
}): Check[] {
  const { settings, project, start } = c.spec
  const specs = commandGuardrails(settings)
  const slugs = slugsOf(specs.map(g => g.command))
  const guardrails = specs.map((spec, index) =>
    guardrail(spec, {
      cwd: project,
      env: c.env,
      truncateAt: settings.outputTruncateChars,
      start: c.runner.startToFile,
      logFor(n) {
        const path = join(
          c.session.folderOf(n),
          `guardrail_${String(n).padStart(3, '0')}_${slugs[index]}.log`,
        )
        return { open: () => openNewFile(path), shown: c.session.shown(path) }
      },
    }),
  )
  return settings.scm && start ? [repositoryCheck(start), ...guardrails] : guardrails
}
