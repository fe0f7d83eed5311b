import type { Limits } from '../../../core/table.ts'
import { recordStart } from '../../../git/start.ts'
import { announce } from '../../../host/announce.ts'
import { conduct } from '../../../host/host.ts'
import type { Draft } from '../../../host/start.ts'
import { newRunId, ralphHome } from '../../../runs/find.ts'
import { hold } from '../../../runs/hold.ts'
import { loadSettings } from '../../../settings/load.ts'
import { gitEnvironment, limitsOf, type Plan } from '../../../workflows/spec.ts'
import { storySettings } from '../stories/start-stories.ts'
import { readStoryFile, STORIES } from '../stories/story-source.ts'
import { cart } from './cart.ts'
import type { DemoName } from './command.ts'
import { notes } from './notes.ts'
import { makeScratch } from './scratch.ts'
import { shop } from './shop.ts'

type Scene = { dir: string; draft: Draft; limits: Limits; story: string; next: string }

const termsOf = (dir: string) => {
  const { settings } = loadSettings(dir, {})
  const agent = { argv: ['demo'], explicit: false, model: null }
  return { project: dir, settings, agent, once: false }
}

function promptScene(): Scene {
  const dir = makeScratch(cart.files, cart.message)
  const terms = termsOf(dir)
  return {
    dir,
    draft: {
      ...terms,
      workflow: 'prompt',
      prompt: { type: 'file', path: `${dir}/PROMPT.md` },
      condition: { response: terms.settings.completionResponse, pattern: null },
    },
    limits: limitsOf(terms.settings),
    story: `A scratch project with a failing test: ${dir}\nThe agent will claim to be done before it is. Watch ralph not believe it.`,
    next: 'the loop                           ralph run -p "Make the tests pass"',
  }
}

function buildScene(): Scene {
  const dir = makeScratch(shop.files, shop.message)
  const terms = termsOf(dir)
  const goal = { type: 'goal' as const, text: shop.goal }
  return {
    dir,
    draft: { ...terms, workflow: 'tasks', goal, refine: 'auto', asks: false, planOnly: false, list: null },
    limits: { ...limitsOf(terms.settings), iterations: null },
    story: `A scratch project with nothing in it: ${dir}\nA goal becomes a list of tasks. One of them will fail its check; watch the bug fix.`,
    next: 'the build                          ralph build "What you want"',
  }
}

function storiesScene(): Scene {
  const dir = makeScratch(notes.files, notes.message)
  const terms = termsOf(dir)
  const review = terms.settings.review
  const file = readStoryFile(dir, STORIES)
  return {
    dir,
    draft: {
      ...terms,
      settings: storySettings(terms.settings, dir, STORIES, file),
      workflow: 'stories',
      dir: STORIES,
      file,
      review,
    },
    limits: { ...limitsOf(terms.settings), iterations: 15 },
    story: `A scratch project with three stories: ${dir}\nWho writes a story never approves it. One of them will be sent back.`,
    next: 'your stories                       ralph init stories',
  }
}

const SCENES: Readonly<Record<DemoName, () => Scene>> = {
  run: promptScene,
  build: buildScene,
  stories: storiesScene,
}

/** A whole run on a scratch project, with the scripted agent. */
export async function showDemo(which: DemoName): Promise<number> {
  const { dir, draft, limits, story, next } = SCENES[which]()
  const { env } = process
  const start = await recordStart(dir, gitEnvironment(draft.settings, env))
  const plan: Plan = { ...draft, start }
  const home = ralphHome(env)
  const id = newRunId(new Date(), Math.random())
  process.stdout.write(`${story}\n\n`)
  const code = await hold({ home, id, project: dir, shared: false }, () =>
    conduct({
      home,
      id,
      announce: () => announce(id, plan, limits, env),
      plan,
      limits,
      past: [],
      warnings: [],
      loud: { json: false, quiet: false },
      env,
    }),
  )
  process.stdout.write(`
Look at it:
  what the agent changed             cd ${dir} && git ${plan.workflow === 'stories' ? 'log -p' : 'diff'}
  prompts, streams, logs             ls ${dir}/.ralph/sessions/${id}

Your own project:
  which agents are there             ralph doctor
  its checks, by a few questions     ralph init
  ${next}
`)
  return code
}
