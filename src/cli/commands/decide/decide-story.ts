import type { RunEvent } from '../../../core/events.ts'
import { fold } from '../../../core/evolve.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { canGoOn, findRun, ralphHome, type StoredRun } from '../../../runs/find.ts'
import { type Answer, type Io, obeyed, printAnswer } from '../../../runs/io.ts'
import { isLive } from '../../../runs/live.ts'
import { appendEvents, sendRequest, withStoppedRun } from '../../../runs/steer.ts'
import { refuseFromWithin, senderOf } from '../../../runs/within.ts'
import { plainLine } from '../../../view/text/plain.ts'
import { type StoryRequest, storyEdit } from '../../../workflows/stories/rules/story-request.ts'
import { storyFilePaths } from '../../../workflows/stories/story-file-place.ts'
import { syncStoryFile } from '../../../workflows/stories/story-file-sync.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import { isOf } from '../../../workflows/traits.ts'
import { isCutOff } from '../stories/restore-stories.ts'

/** `ralph approve` and `ralph reject`. */
export const decideStory = async (name: string, request: StoryRequest, io: Io): Promise<number> =>
  printAnswer(await decide(name, request, io.env), io)

/** A run that is at work gets a request. For any other, journal and file are written. */
export async function decide(name: string, request: StoryRequest, env: NodeJS.ProcessEnv): Promise<Answer> {
  const run = findRun(ralphHome(env), name)
  refuseFromWithin(run, env)
  if (!isOf(storiesWorkflow, run))
    throw new UsageError(`run ${run.id} has no stories; to give it an instruction, use: ralph tell ${run.id}`)
  if (isLive(run)) {
    editFor(run, run.events, request, env)
    sendRequest(run, { type: 'todo', request }, env)
    return obeyed(`sent to run ${run.id}, which acts on it before its next step`)
  }
  if (!canGoOn(run.events))
    throw new UsageError(`run ${run.id} is finished; edit its stories and start a new one: ralph stories`)
  const warnings = await changeStopped(run, request, env)
  const { action, story } = request
  const done = action === 'approve' ? 'approved' : 'sent back'
  return obeyed(`${done} ${plainLine(story)}; continue with: ralph resume ${run.id}`, warnings)
}

function editFor(
  { began }: StoredRun,
  events: readonly RunEvent[],
  request: StoryRequest,
  env: NodeJS.ProcessEnv,
): RunEvent {
  const { tasks, state } = fold(events)
  const spec = storiesWorkflow.readSpec(began.pins)
  const edit = storyEdit(tasks, state, storiesWorkflow.table(spec), spec.review, request)
  if ('error' in edit) throw new UsageError(edit.error)
  return { type: 'edited', at: Date.now(), by: 'person', ...edit, from: senderOf(env) }
}

/**
 * Adopts what a person wrote into the file first, then decides. The file then shows both. After a crash the file may hold
 * what an agent wrote, so it stays until the run is resumed.
 */
const changeStopped = (run: StoredRun, request: StoryRequest, env: NodeJS.ProcessEnv): Promise<string[]> =>
  withStoppedRun(ralphHome(env), run, past => {
    if (isCutOff({ ...run, events: past })) {
      appendEvents(run, editFor(run, past, request, env))
      return []
    }
    const { project, pins } = run.began
    const spec = storiesWorkflow.readSpec(pins)
    const events = [...past]
    const file = syncStoryFile({
      paths: storyFilePaths(project, spec),
      spec,
      table: storiesWorkflow.table(spec),
      journal: () => past,
      run: () => fold(events),
    })
    const { edit, refused } = file.byPerson(Date.now())
    if (edit) events.push(edit)
    events.push(editFor(run, events, request, env))
    appendEvents(run, ...events.slice(past.length))
    file.write()
    return refused
  })
