import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunEvent } from '../../src/core/events.ts'
import { recordStart } from '../../src/git/start.ts'
import type { Listener } from '../../src/host/frontend.ts'
import { resolveSettings } from '../../src/settings/schema.ts'
import { readJournal } from '../../src/store/journal.ts'
import type { PromptSpec } from '../../src/workflows/run/spec.ts'
import { runWorkflow } from '../../src/workflows/run/workflow.ts'
import { gitEnvironment } from '../../src/workflows/spec.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'
import { hostHere, newRunId } from './host-here.ts'
import { noFrontend } from './no-frontend.ts'

export const DONE = 'echo "<response>DONE</response>"'

/**
 * A `ralph run` in this process, in a repository of its own. The agent is a shell: `calls` says what it does each time
 * (the last repeats), and `message` what it does when it is asked for a commit message.
 */
export function setPrompt(options: {
  files?: Record<string, string>
  calls: string[]
  message?: string
  settings?: Record<string, unknown>
}) {
  const root = scratch('ralph-prompt-')
  const id = newRunId()
  const project = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(project)
  mkdirSync(home)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  makeRepository(project, {
    files: options.files,
    script: `${BEGIN}; git add -A; git commit -q --allow-empty -m begin`,
  })
  const cases = options.calls.map(
    (call, index) => `${index + 1 === options.calls.length ? '*' : index + 1}) ${call} ;;`,
  )
  const script = `asked=$(cat)
    case "$asked" in *"commit message"*) ${options.message ?? 'echo Work'}; exit ;; esac
    echo >> ../calls; n=$(($(wc -l < ../calls))); echo "$asked" > ../prompt-$n; echo "$asked" > ../prompt
    case $n in ${cases.join('\n')} esac`
  // First on PATH, and empty: an agent may put programs there.
  const bin = join(root, 'bin')
  mkdirSync(bin)
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: root, RALPH_HOME: home }
  const read = (name: string) =>
    existsSync(join(project, name)) ? readFileSync(join(project, name), 'utf8') : null
  const journal = (): RunEvent[] => readJournal(join(home, 'runs', id))
  async function host(listeners: Listener[] = []): Promise<number> {
    const settings = resolveSettings({
      baseline: false,
      maximumIterations: 1,
      sandbox: { mode: 'none' },
      ...options.settings,
    })
    const spec: PromptSpec = {
      workflow: 'run',
      prompt: { type: 'text', text: 'work' },
      condition: { response: 'DONE', pattern: null },
      project,
      settings,
      agent: { argv: ['/bin/sh', '-c', script], explicit: true, model: null },
      once: false,
      start: await recordStart(project, gitEnvironment(settings, env)),
    }
    return hostHere({ id, workflow: runWorkflow, spec, env, frontend: noFrontend(listeners) })
  }
  return {
    id,
    root,
    project,
    env,
    git,
    write,
    read,
    host,
    journal,
    settled: () => journal().filter(event => event.type === 'settled'),
    ending: () => journal().findLast(event => event.type === 'finished'),
  }
}
