import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { readJournal } from '../../src/store/journal.ts'
import { completionHint } from '../../src/workflows/run/rules/prompt.ts'
import { type Act, type Answer, answeringAgent, countingAgent } from '../support/agent-script.ts'
import { hostRalph } from '../support/hosted.ts'
import { type Ran, runRalph, startRalph } from '../support/ralph.ts'
import { makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'
import { hasBegun } from './dying.ts'

type Setting = { settings?: unknown; calls?: Act[][]; answers?: Answer[]; git?: boolean }

/** A scratch project with a fake `claude` on the PATH that follows a script, call by call or by what it is asked. */
export function setStage(options: Setting = {}) {
  const root = scratch('ralph-cli-')
  const project = join(root, 'project')
  const bin = join(root, 'bin')
  const home = join(root, 'home')
  for (const dir of [project, bin, home]) mkdirSync(dir)
  const addProgram = (name: string, text: string) => writeFileSync(join(bin, name), text, { mode: 0o755 })
  const log = (name: string) => join(root, `${name}.calls`)
  /** A program on the PATH that acts by a script; how it was called is a line of `<name>.calls`. */
  const addAgent = (name: string, calls: Act[][], count = `${name}.count`) =>
    addProgram(name, countingAgent(calls, { log: log(name), count: join(root, count) }))
  const asked = join(root, 'asked')
  if (options.answers) addProgram('claude', answeringAgent(options.answers, { log: log('claude'), asked }))
  else addAgent('claude', options.calls ?? [[['claude', 'Done. <response>DONE</response>']]], 'count')
  if (options.settings !== undefined) {
    mkdirSync(join(project, '.ralph'))
    const text = typeof options.settings === 'string' ? options.settings : JSON.stringify(options.settings)
    writeFileSync(join(project, '.ralph', 'settings.json'), text)
  }
  if (options.git !== false)
    makeRepository(project, { script: 'git init -q; git config maintenance.auto false' })
  const ralphHome = join(home, '.ralph')
  const env = { HOME: home, RALPH_HOME: ralphHome, PATH: `${bin}:${process.env.PATH}`, RALPH_TRUST: '1' }
  const at = { cwd: project, env }
  const runs = () => readdirSync(join(ralphHome, 'runs')).map(id => join(ralphHome, 'runs', id))
  /** Of the one run that began. */
  const journal = (): RunEvent[] => readJournal(runs().find(hasBegun)!)
  return {
    root,
    project,
    bin,
    env,
    ralphHome,
    addAgent,
    /** In this process. */
    ralph: (...args: string[]) => hostRalph(args, at),
    withEnv: (env: Record<string, string>, ...args: string[]) => hostRalph(args, { cwd: project, env }),
    /** As a process of its own: for its signals, its streams, its end, or two at once. */
    spawn: (...args: string[]) => runRalph(args, at),
    start: (...args: string[]) => startRalph(args, at),
    write: (name: string, text: string) => writeFileSync(join(project, name), text),
    read: (name: string) => readFileSync(join(project, name), 'utf8'),
    /** What the agent was asked so far: the name of each answer, and the prompt. */
    asked: (): { name: string; prompt: string }[] =>
      existsSync(asked)
        ? readdirSync(asked)
            .sort()
            .map(file => ({ name: file.slice(4), prompt: readFileSync(join(asked, file), 'utf8') }))
        : [],
    runs,
    journal,
    settled: () => journal().filter(event => event.type === 'settled'),
    /** A file of its session. */
    session(name: string): string {
      const sessions = join(project, '.ralph', 'sessions')
      const paths = readdirSync(sessions).map(id => join(sessions, id, name))
      return readFileSync(paths.find(existsSync) ?? paths[0]!, 'utf8')
    },
  }
}

/** A prompt that does not speak of the tag, as the agent of a `ralph run` gets it. */
export const hinted = (prompt: string, { checks = false } = {}): string =>
  `${prompt}\n\n${completionHint({ response: 'DONE', pattern: null }, checks)}`

/** The same where nobody has allowed anything. */
export function setUntrusted(settings: unknown) {
  const stage = setStage({ settings })
  const { RALPH_TRUST: _, ...env } = stage.env
  return { ...stage, env, ralph: (...args: string[]) => stage.withEnv(env, ...args) }
}

/** How a command ends that is refused, and one that says this. */
export const refusal = (why: string | RegExp) => ({ code: 2, stderr: having(why) })
export const ending = (code: number, told: string | RegExp) => ({ code, stdout: having(told) })

const having = (text: string | RegExp): unknown =>
  typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)

export const eventsOf = (ran: Ran): RunEvent[] =>
  ran.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
