import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '../../core/events.ts'
import { initial } from '../../core/table.ts'
import { runnerFor, runners } from '../../runners/index.ts'
import { newRunId, ralphHome } from '../../runs/find.ts'
import { sandboxText } from '../../view/notices.ts'
import { plainLine } from '../../view/text/plain.ts'
import type { BaseSpec } from '../../workflows/spec.ts'
import { processClock } from '../clock.ts'
import { chooseSandbox, sandboxOf, withSandbox } from '../sandbox.ts'
import { type AgentPool, openAgents } from './agent-pool.ts'
import { programFolders } from './agents.ts'
import type { AskerOptions } from './ask.ts'
import { agentCaller } from './call.ts'

/** What asking takes outside of a run, and what it has cost so far. */
export type Asking = AskerOptions & { agents: AgentPool; cacheDir: string; spent(): number }

/**
 * Asks agents outside of a run: there is no journal, and the files of the calls are removed. Processes end with ralph, as
 * those of a run do.
 */
export async function askOutside<T>(
  base: Omit<BaseSpec, 'start'>,
  { env, warn }: { env: NodeJS.ProcessEnv; warn(note: string): void },
  act: (asking: Asking) => Promise<T>,
): Promise<T> {
  const { settings } = base
  const home = ralphHome(env)
  // A run of this project may be at work in docker's sandbox.
  const isDocker = settings.sandbox.mode === 'docker'
  const mode = isDocker ? 'auto' : settings.sandbox.mode
  const sandbox = await chooseSandbox(
    mode,
    { project: base.project, start: null, worktrees: false, home },
    env,
  )
  if (isDocker)
    warn(
      `only runs use the sandbox docker; this call is made ${sandbox.mode === 'none' ? 'without a sandbox' : `in ${sandbox.mode}`}`,
    )
  const spec = withSandbox({ ...base, workflow: '', start: null }, sandbox)
  const folder = mkdtempSync(join(tmpdir(), 'ralph-ask-'))
  const id = newRunId(new Date(), Math.random())
  const confined = sandboxOf({
    id,
    spec,
    home,
    runDir: folder,
    env,
    book: deniedTo(warn),
    isOver: () => false,
  })
  const runner = runnerFor(
    runners,
    spec.settings.sandbox.mode,
  )({
    run: id,
    graceMs: settings.killGrace * 1000,
    ...(confined && { sandbox: confined }),
  })
  const cacheDir = join(home, 'cache')
  const agents = openAgents({ spec, runner, env, cacheDir })
  let calls = 0
  let spent = 0
  const call = agentCaller({
    runner,
    session: {
      folderFor() {
        const place = join(folder, String(++calls))
        mkdirSync(place)
        return place
      },
      keep: (path, write) => write(path),
      ensureFolder() {},
      shown: path => path,
      logCall() {},
      numberOf: step => step,
    },
    callable: agents.callable,
    programFolders: programFolders(spec),
    now: () => Date.now(),
    warn,
  })
  const asking: Asking = {
    call,
    agents,
    cacheDir,
    clock: processClock(),
    marks: runner.marks,
    state: () => initial,
    budgetLeft: () => settings.budget.usd,
    record(event: RunEvent) {
      if (event.type === 'asked') spent += event.costUsd ?? 0
    },
    hard: new AbortController().signal,
    spent: () => spent,
  }
  try {
    return await act(asking)
  } finally {
    await runner.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** There is no run whose journal could keep what the sandbox kept an agent from, so it is only said. */
const deniedTo = (warn: (note: string) => void) => ({
  state: initial,
  record(event: RunEvent) {
    if (event.type === 'denied')
      warn(`the sandbox refused ${plainLine(event.host)}; to allow that: sandbox.allowedDomains`)
    else if (event.type === 'refused') warn(sandboxText(event))
  },
})
