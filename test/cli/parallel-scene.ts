import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../src/core/events.ts'
import { canGoOn } from '../../src/runs/find.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { hasBegun } from './dying.ts'
import { setStage } from './scene.ts'

const MATCH = { verification_method: 'string_match' }

/** What a task of the scene asks for: a file of its own name. */
export const taskOf = (id: string, more: object = {}) => ({
  id,
  title: `Make ${id}`,
  completion: {
    outcome: `${id}.txt is there`,
    acceptance_criteria: [`${id}.txt is there`],
    coder: { verification_method: 'external', verification_config: { command: `test -e ${id}.txt` } },
    reviewer: MATCH,
    tester: MATCH,
    qa: MATCH,
  },
  ...more,
})

/**
 * An agent that plays every role of every task. `$ACTS/<task>.<role>` is a script of its own for one of them; without one
 * a coder writes `<task>.txt`, and the others only give their promise.
 */
const AGENT = `#!/bin/sh
prompt=$(cat)
case "$prompt" in *'commit message'*) echo 'Go on'; exit;; esac
role=$(printf '%s\\n' "$prompt" | sed -n 's/^- \\*\\*Agent\\*\\*: //p')
id=$(printf '%s\\n' "$prompt" | sed -n 's/^# Your task: .*(\\(.*\\))$/\\1/p')
case "$prompt" in 'You bring finished work'*)
  role=resolver
  id=$(printf '%s\\n' "$prompt" | sed -n '1s/.*The work is \\([^ ]*\\) .*/\\1/p');;
esac
: "\${role:=worker}"
echo "$id $role $PWD" >> "$ACTS/../calls"
printf '%s\\n' "$prompt" > "$ACTS/../prompt-$id-$role"
if [ -e "$ACTS/$id.$role" ]; then . "$ACTS/$id.$role"
elif [ "$role" = coder ] || [ "$role" = worker ]; then echo "$id" > "$id.txt"; fi
case $role in
  coder) say=IMPLEMENTATION_COMPLETE;; reviewer) say=REVIEW_PASSED;; tester) say=TESTS_PASSED;; *) say=QA_PASSED;;
esac
echo "Done. <promise>$say</promise>"
`

/** A repository with tasks, and agents by script. */
export async function setParallel({
  tasks = [taskOf('T1'), taskOf('T2')],
  acts = {},
  files = {},
  settings = {},
}: {
  tasks?: ReturnType<typeof taskOf>[]
  acts?: Record<string, string>
  files?: Record<string, string>
  settings?: Record<string, unknown>
} = {}) {
  // Two roles are enough: what matters is where they work.
  const roles = { reviewer: { skip: true }, tester: { skip: true } }
  const stage = setStage({
    settings: { guardrails: [{ command: 'true' }], baseline: false, pipeline: { roles }, ...settings },
    git: false,
  })
  makeRepository(stage.project, {
    files: { 'base.txt': 'base\n', ...files, '.gitignore': '.ralph/\ntasks.json\n' },
    script: `${BEGIN}; git config user.name a; git add .; git commit -qm begin`,
  })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: stage.project, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
  const folder = join(stage.root, 'acts')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(acts)) writeFileSync(join(folder, name), text)
  writeFileSync(join(stage.bin, 'player'), AGENT, { mode: 0o755 })
  const env = { ...stage.env, ACTS: folder }
  const ralph = (...args: string[]) => stage.withEnv(env, ...args)
  stage.write('tasks.json', JSON.stringify(tasks))
  const imported = await ralph('task', 'import', 'tasks.json', '--spec', 'all')
  if (imported.code !== 0) throw new Error(imported.stderr)
  const events = <T extends RunEvent['type']>(type: T) =>
    stage.journal().filter((e): e is Extract<RunEvent, { type: T }> => e.type === type)
  return {
    ...stage,
    env,
    git,
    ralph,
    events,
    /** `ralph pipeline` with the agent of the scene. */
    pipeline: (...args: string[]) => ralph('pipeline', ...args, '--', 'player'),
    /** Where each agent worked: task, role, folder. */
    calls: () =>
      readFileSync(join(stage.root, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map(line => line.split(' ') as [task: string, role: string, folder: string]),
    promptOf: (task: string, role: string) =>
      readFileSync(join(stage.root, `prompt-${task}-${role}`), 'utf8'),
    begun: () => existsSync(join(stage.ralphHome, 'runs')) && stage.runs().some(hasBegun),
    /** Whether there is something to resume. */
    canGoOn: () => canGoOn(stage.journal()),
    stored: (id: string) =>
      JSON.parse(readFileSync(join(stage.project, '.ralph', 'tasks', `${id}.json`), 'utf8')),
    settled: () => events('settled').map(e => `${e.task} ${e.stage} ${e.move}`),
    /** The worktrees of tasks that are there. */
    worktrees: () => {
      const all = `${stage.project}-worktrees`
      return existsSync(all) ? readdirSync(all).flatMap(run => readdirSync(join(all, run))) : []
    },
    branches: () => git('branch', '--format=%(refname:short)').split('\n'),
  }
}
