import { UsageError } from '../../../core/usage-error.ts'
import { agentAsker } from '../../../host/agents/ask.ts'
import { type Asking, askOutside } from '../../../host/agents/ask-outside.ts'
import { type CommonOptions, prepare } from '../../../host/start.ts'
import { requireTrust } from '../../../host/trust.ts'
import { ralphHome } from '../../../runs/find.ts'
import { refuseFromWithinAny } from '../../../runs/within.ts'
import { print, printError, printText } from '../../../terminal/print.ts'
import { askConfirmation } from '../../../terminal/question.ts'
import { planPrompt, planText, repairPlanPrompt } from '../../../workflows/pipeline/rules/plan-prompt.ts'
import { checkNewTasks, readNewTasks, showFileProblem } from '../../../workflows/pipeline/tasks/read-file.ts'
import { fileTaskStore } from '../../../workflows/pipeline/tasks/store.ts'
import { type PipelineTask, type TaskRules, taskRules } from '../../../workflows/pipeline/tasks/task.ts'
import { readNamed } from './actions.ts'
import { taskLines } from './show.ts'

export type PlanOptions = Pick<CommonOptions, 'agent' | 'model' | 'projectDir' | 'trust'> & {
  spec?: string
  yes?: boolean
}

/** `ralph task plan`: an agent turns a specification into tasks, which are added once somebody has approved them. */
export async function planTasks(file: string, options: PlanOptions): Promise<number> {
  const { env } = process
  const home = ralphHome(env)
  refuseFromWithinAny(home, env, 'change tasks')
  const { base, risks } = prepare(options, [])
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  if (!options.yes && !isTerminal)
    throw new UsageError(
      'there is no terminal to ask whether the plan is right; add --yes to accept it as it is',
    )
  const { text: specification, specId } = readNamed(file, options.spec)
  if (specification.trim() === '') throw new UsageError(`${file} is empty; there is nothing to plan`)
  if (specId === null) throw new UsageError('the tasks need a spec; name one with --spec')
  const rules = taskRules(base.settings)
  const store = fileTaskStore(base.project, rules)
  const known = store.list()
  await requireTrust({ home, project: base.project, found: risks, flag: options.trust ?? false, env })
  const warn = (note: string) => printError(`ralph: warning: ${note}`)
  const planned = await askOutside(base, { env, warn }, asking =>
    makePlan(asking, { specification, specId, rules, known, project: base.project }),
  )
  if ('problems' in planned) {
    for (const problem of planned.problems) printError(problem)
    printText(`no task was added: the plan could not be used, even after a repair`)
    return 1
  }
  for (const task of planned.tasks) for (const line of [...taskLines(task), '']) print(line)
  if (!options.yes && !(await askConfirmation(`Add ${planned.tasks.length} tasks to the spec ${specId}?`))) {
    printText('no task was added')
    return 1
  }
  const problems = checkNewTasks(planned.tasks, store.list())
  if (problems.length > 0) throw new UsageError('somebody added tasks meanwhile; plan again')
  store.add(planned.tasks)
  for (const { id, title } of planned.tasks) print(`${id} ${title}`)
  return 0
}

type Planning = {
  specification: string
  specId: string
  rules: TaskRules
  known: readonly PipelineTask[]
  project: string
}

/** Asks for a plan, and once more if it cannot be used. */
async function makePlan(
  asking: Asking,
  planning: Planning,
): Promise<{ tasks: PipelineTask[] } | { problems: string[] }> {
  const ask = agentAsker(asking)
  const { specification, known, project } = planning
  const taken = known.map(({ id }) => id)
  const first = planPrompt(specification, taken)
  let prompt = first
  for (let repairs = 0; ; repairs++) {
    const question = { role: 'planner', prompt, mode: 'stream' as const, withoutTools: NO_TOOLS }
    const { ok, text, note } = await ask(question, repairs + 1, project)
    if (!ok) return { problems: [`the planner gave no answer: ${note || 'it failed'}`] }
    const plan = await readPlan(text, planning)
    if ('tasks' in plan || repairs > 0) return plan
    prompt = repairPlanPrompt(specification, text, plan.problems)
  }
}

const NO_TOOLS = 'You have no tools here. Plan from the specification alone.'

async function readPlan(
  answer: string,
  { specId, rules, known }: Planning,
): Promise<{ tasks: PipelineTask[] } | { problems: string[] }> {
  const now = new Date().toISOString()
  const read = await readNewTasks(planText(answer), { ...rules, specId, now }, known)
  return 'problems' in read
    ? { problems: read.problems.map(problem => showFileProblem('plan', problem)) }
    : read
}
