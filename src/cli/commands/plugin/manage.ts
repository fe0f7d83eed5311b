import { UsageError } from '../../../core/usage-error.ts'
import { marketplaceFolder, pluginFolder } from '../../../host/agents/agents.ts'
import { findProgram } from '../../../runners/find-program.ts'
import { commandRunner, type Ran } from '../../../runners/run-command.ts'
import { present } from '../../../settings/environment.ts'
import { print } from '../../../terminal/print.ts'
import type { PluginAction } from '../../verbs/upkeep.ts'

const MARKET = 'ralph'
const PLUGIN = `ralph@${MARKET}`

const TIMEOUT_MS = 120_000

/** `ralph plugin`: prints where the plugin is, or has claude install or uninstall it. */
export async function managePlugin(action: PluginAction): Promise<number> {
  const folder = pluginFolder()
  if (folder === null)
    throw new UsageError('the plugin is missing from this installation; install ralph again')
  switch (action) {
    case 'path':
      print(folder)
      return 0
    case 'install':
      return callClaude([
        { words: ['marketplace', 'add', marketplaceFolder(folder)] },
        { words: ['install', PLUGIN] },
      ])
    case 'uninstall':
      return callClaude([
        { words: ['uninstall', PLUGIN], done: /not found in installed plugins/ },
        { words: ['marketplace', 'remove', MARKET], done: /not found/ },
      ])
    default:
      return action satisfies never
  }
}

/** `done`: what claude prints if there was nothing to do. */
type Step = { words: string[]; done?: RegExp }

async function callClaude(steps: Step[]): Promise<number> {
  const program = findProgram('claude', process.env.PATH ?? '')
  if (program === null)
    throw new UsageError(
      'claude is not on PATH; install it (ralph doctor says how), or give the plugin to one session: claude --plugin-dir "$(ralph plugin path)"',
    )
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  const run = commandRunner(interrupted.signal)
  const env = present(process.env)
  try {
    for (const { words, done } of steps) {
      const ran = await run([program, 'plugin', ...words], { cwd: process.cwd(), env, timeoutMs: TIMEOUT_MS })
      if (ran.end === 'interrupted') return 130
      const output = outputOf(ran)
      if (ran.end === 'exited' && (ran.exit.code === 0 || done?.test(output))) {
        if (output !== '') print(output)
      } else throw new Error(`claude plugin ${words.join(' ')} failed: ${output}`)
    }
    return 0
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function outputOf(ran: Ran): string {
  switch (ran.end) {
    case 'exited':
      return `${ran.stdout.trim()}\n${ran.stderr.trim()}`.trim() || `exit code ${ran.exit.code}`
    case 'timeout':
      return `it took longer than ${TIMEOUT_MS / 1000} s`
    case 'interrupted':
      return 'it was interrupted'
    case 'unstartable':
      return ran.why
    default:
      return ran satisfies never
  }
}
