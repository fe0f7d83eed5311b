import { existsSync, mkdirSync } from 'node:fs'
import { storySettings } from '../../src/cli/commands/stories/start-stories.ts'
import type { RunEvent } from '../../src/core/events.ts'
import { fold } from '../../src/core/evolve.ts'
import type { Control } from '../../src/core/ports.ts'
import { recordStart } from '../../src/git/start.ts'
import { runDir } from '../../src/runs/find.ts'
import { resolveSettings } from '../../src/settings/schema.ts'
import { sendControl } from '../../src/store/control.ts'
import { readJournal } from '../../src/store/journal.ts'
import { gitEnvironment, limitsOf } from '../../src/workflows/spec.ts'
import type { StoriesSpec } from '../../src/workflows/stories/spec.ts'
import { storiesWorkflow } from '../../src/workflows/stories/workflow.ts'
import type { Workflow } from '../../src/workflows/workflow.ts'
import { setStories } from '../cli/stories-stage.ts'
import { hostHere, newRunId } from './host-here.ts'
import { noFrontend } from './no-frontend.ts'

/** What a test can do while a hosted run is at work. */
export type Reach = { send(control: Control): void; softly(): void; atOnce(): void }

/** A story loop in this process. Hosting it again resumes it. */
export function hostStories(
  options: Parameters<typeof setStories>[0],
  review: Partial<StoriesSpec['review']> = {},
) {
  const stage = setStories(options)
  const id = newRunId()
  const { env, project, ralphHome: home } = stage
  mkdirSync(home, { recursive: true })
  const dir = runDir(home, id)
  const workflow = storiesWorkflow as Workflow
  async function begin(): Promise<StoriesSpec> {
    const settings = resolveSettings({ baseline: false, killGrace: 0.2, sandbox: { mode: 'none' } })
    const file = stage.file()
    return {
      workflow: storiesWorkflow.name,
      project,
      settings: storySettings(settings, project, 'ralph', file),
      agent: { argv: ['claude'], explicit: false, model: null },
      once: false,
      start: await recordStart(project, gitEnvironment(settings, env)),
      dir: 'ralph',
      file,
      review: { cap: 5, skip: false, atCap: 'block', submitWithin: 6, verdictWithin: 3, ...review },
    }
  }
  async function host(iterations: number, onEvent: (event: RunEvent, reach: Reach) => void = () => {}) {
    const past = existsSync(dir) ? readJournal(dir) : []
    const first = past.find(event => event.type === 'began')
    const spec = first ? workflow.readSpec(first.pins) : await begin()
    const [soft, hard] = [new AbortController(), new AbortController()]
    const reach: Reach = {
      send: control => sendControl(dir, control, Date.now()),
      softly: () => soft.abort(),
      atOnce() {
        soft.abort()
        hard.abort()
      },
    }
    const frontend = {
      ...noFrontend([{ onEvent: (event: RunEvent) => onEvent(event, reach) }]),
      openSignals: () => ({
        signals: { soft: soft.signal, hard: hard.signal },
        interrupt() {},
        stopSoon() {},
        close() {},
      }),
    }
    const limits = { ...limitsOf(spec.settings), iterations }
    return hostHere({ home, id, workflow, spec, limits, past, env, frontend })
  }
  return { ...stage, id, dir, host, folded: () => fold(stage.journal()) }
}
