import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunEvent } from '../../src/core/events.ts'
import { readJournal } from '../../src/store/journal.ts'
import { completionHint } from '../../src/workflows/run/rules/prompt.ts'
import { type Ran, runRalph, startRalph } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'
import { hasBegun } from './dying.ts'

const FAKE_AGENT = fileURLToPath(new URL('../support/fake-agent.mjs', import.meta.url))

export type Act = [string, ...unknown[]]

/** A name, what the prompt must match, and what is done at each such call; the last repeats. */
export type Answer = [name: string, pattern: string, ...calls: Act[][]]

type Setting = { settings?: unknown; calls?: Act[][]; answers?: Answer[]; git?: boolean }

/** A scratch project with a fake `claude` on the PATH that follows a script, call by call or by what it is asked. */
export function setStage(options: Setting = {}) {
  const root = scratch('ralph-cli-')
  const project = join(root, 'project')
  const bin = join(root, 'bin')
  const home = join(root, 'home')
  for (const dir of [project, bin, home]) mkdirSync(dir)
  /** A program on the PATH that acts by a script; how it was called is a line of `<name>.calls`. */
  const addAgent = (name: string, calls: Act[][], count = `${name}.count`) =>
    addScript(name, { calls, count: join(root, count) })
  const addScript = (name: string, script: unknown) => {
    const file = join(root, `${name}.json`)
    writeFileSync(file, JSON.stringify(script))
    const log = `echo "$*" >> '${join(root, `${name}.calls`)}'`
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\n${log}\ncase "$*" in *--help | --version) exit 0 ;; esac\nexec "${process.execPath}" "${FAKE_AGENT}" --script "$(cat '${file}')"\n`,
    )
    chmodSync(join(bin, name), 0o755)
  }
  const asked = join(root, 'asked')
  if (options.answers) addScript('claude', { answers: options.answers, asked })
  else addAgent('claude', options.calls ?? [[['claude', 'Done. <response>DONE</response>']]], 'count')
  if (options.settings !== undefined) {
    mkdirSync(join(project, '.ralph'))
    const text = typeof options.settings === 'string' ? options.settings : JSON.stringify(options.settings)
    writeFileSync(join(project, '.ralph', 'settings.json'), text)
  }
  if (options.git !== false) execFileSync('git', ['init', '-q'], { cwd: project })
  const ralphHome = join(home, '.ralph')
  const env = { HOME: home, RALPH_HOME: ralphHome, PATH: `${bin}:${process.env.PATH}`, RALPH_TRUST: '1' }
  const at = { cwd: project, env }
  const runs = () => readdirSync(join(ralphHome, 'runs')).map(id => join(ralphHome, 'runs', id))
  return {
    root,
    project,
    bin,
    env,
    ralphHome,
    addAgent,
    ralph: (...args: string[]) => runRalph(args, at),
    start: (...args: string[]) => startRalph(args, at),
    withEnv: (env: Record<string, string>, ...args: string[]) => runRalph(args, { cwd: project, env }),
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
    /** Of the one run that began. */
    journal: (): RunEvent[] => readJournal(runs().find(hasBegun)!),
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

export const eventsOf = (ran: Ran): RunEvent[] =>
  ran.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
