import { loadSettings } from '../settings/load.ts'
import { newRunId, ralphHome } from '../store/runs.ts'
import { announce } from './announce.ts'
import { conduct } from './conduct.ts'
import { DONE, makeDemoProject } from './demo-project.ts'
import { hold } from './hold.ts'
import { limitsOf, type Plan } from './plan.ts'

/** A whole run on a scratch project, with the scripted agent. */
export async function showDemo(): Promise<number> {
  const env = process.env
  const { dir, promptFile } = makeDemoProject()
  const { settings } = loadSettings(dir, {})
  const plan: Plan = {
    project: dir,
    settings,
    agent: { argv: ['demo'], explicit: false, model: null },
    prompt: { type: 'file', path: promptFile },
    condition: { response: DONE, pattern: null },
    once: false,
    start: null,
  }
  const home = ralphHome(env)
  const id = newRunId(new Date(), Math.random())
  process.stdout.write(
    `A scratch project with a failing test: ${dir}\nThe agent will claim to be done before it is. Watch ralph not believe it.\n\n`,
  )
  const code = await hold({ home, id, project: dir, shared: false }, () =>
    conduct({
      home,
      id,
      announce: () => announce(id, plan, limitsOf(settings), env),
      plan,
      limits: limitsOf(settings),
      past: [],
      warnings: [],
      loud: { json: false, quiet: false },
      env,
    }),
  )
  process.stdout.write(`
Look at it:
  what the agent changed             cd ${dir} && git diff
  prompts, streams, logs             ls ${dir}/.ralph/sessions/${id}

Your own project:
  which agents are there             ralph doctor
  its checks, by a few questions     ralph init
  the loop                           ralph run -p "Make the tests pass"
`)
  return code
}
