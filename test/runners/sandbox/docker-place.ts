import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { hostRalph } from '../../support/hosted.ts'
import { startRalph } from '../../support/ralph.ts'
import { BEGIN, makeRepository } from '../../support/repository.ts'
import { addSbx } from '../../support/sbx.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const PAGE = readFileSync(join(ROOT, 'docs', 'sandbox-docker.md'), 'utf8')

/** The calls that the page promises under this title. */
export const promised = (title: string): string[] =>
  new RegExp(`\`\`\`transcript ${title}\n([^]*?)\n\`\`\``).exec(PAGE)![1]!.split('\n')

/** `answer TEXT`: what claude says when it is done, in the form that it was asked for. */
export const CLAUDE = `words="$*"
answer() {
  case "$words" in *stream-json*) ;; *) echo "$1"; return;; esac
  printf '{"type":"system","subtype":"init","model":"m"}\\n'
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$1"
  printf '{"type":"result","subtype":"success","is_error":false,"result":"%s"}\\n' "$1"
}
cat > /dev/null
`

const REPOSITORY = {
  files: { 'a.txt': 'a\n', '.gitignore': '.env\nbuilt\n' },
  script: `${BEGIN}; git config user.name Somebody; git config user.email somebody@example.org
git add .; git commit -qm Begin`,
}

/**
 * A home, a project in git, the built ralph, and the stand-in for sbx on PATH. `claude`: the shell script that is the agent, inside
 * and outside.
 */
export function openDockerPlace(claude: string, folder = 'project') {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-sbx-')))
  const at = (path: string) => join(root, path)
  const project = at(folder)
  for (const made of ['home', 'bin', 'tmp']) mkdirSync(at(made))
  const { plan, sandboxes, calls, forgetCalls, endServers } = addSbx(at('bin'), at('state'))
  const addProgram = (name: string, script: string) => {
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${script}`)
    chmodSync(at(`bin/${name}`), 0o755)
  }
  addProgram('claude', claude)
  const env: Record<string, string> = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    HOME: at('home'),
    RALPH_HOME: at('home/.ralph'),
    TMPDIR: at('tmp'),
    LANG: 'C.UTF-8',
    ANTHROPIC_API_KEY: 'sk-ant-api03-the-real-key',
    GIT_CONFIG_GLOBAL: '/dev/null',
    SBX_STATE: at('state'),
    SBX_PATH: `${at('bin')}:${process.env.PATH}`,
  }
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: project, env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
  makeRepository(project, REPOSITORY)
  onTestFinished(() => {
    endServers()
    rmSync(root, { recursive: true, force: true })
  })
  const start = (args: string[], more: Record<string, string> = {}) =>
    startRalph(args, { cwd: project, env: { ...env, ...more } })
  return {
    at,
    project,
    env,
    git,
    addProgram,
    plan,
    sandboxes,
    start,
    run: (args: string[], more: Record<string, string> = {}, cwd = project) =>
      hostRalph(args, { cwd, env: { ...env, ...more } }),
    write(path: string, text: string) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text, { mode: 0o755 })
    },
    read: (path: string) =>
      existsSync(join(project, path)) ? readFileSync(join(project, path), 'utf8') : null,
    /** The calls since the last look, in the words of the page. */
    calls() {
      const found = calls().map(words => sayCall(words, project))
      forgetCalls()
      return found
    },
  }
}

const STDIN: Readonly<Record<string, string>> = {
  'ralph-put': 'BUNDLE',
  claude: 'PROMPT',
  'ralph-elsewhere': 'PROMPT',
}

/** One call as the page has it. */
export function sayCall(words: string[], project: string): string {
  if (words[0] === 'git') return 'git fetch sandbox-NAME'
  const name = words.find(word => /^ralph-[\da-f]{12}$/.test(word))
  const plain = words.map(word => (word === name ? 'NAME' : word === project ? 'ROOT' : word))
  const place = plain.indexOf('NAME')
  if (plain[0] === 'policy' && plain[1] === 'allow')
    return `sbx ${[...plain.slice(0, -1), 'HOSTS'].join(' ')}`
  if (plain[0] === 'secret') return `sbx ${plain.join(' ')} < KEY`
  if (plain[0] === 'create')
    return `sbx ${plain.map(word => word.replace(/^.*\/plugin:ro$/, 'PLUGIN:ro')).join(' ')}`
  if (plain[0] !== 'exec') return `sbx ${plain.join(' ')}`
  const flags = plain.slice(1, place)
  const variables = flags.indexOf('-e')
  const said = variables < 0 ? flags : [...flags.slice(0, variables), '-e K=V…']
  const command = plain.slice(place + 1)
  const script = command[0] === 'sh' ? command[3]! : undefined
  const shown = script
    ? `sh -c SCRIPT ${script} …`
    : command[0] === '/bin/sh'
      ? '/bin/sh -c …'
      : `${command[0]} …`
  const input = flags.includes('-i') ? ` < ${STDIN[script ?? command[0]!] ?? 'SOMETHING'}` : ''
  return `sbx exec ${[...said, 'NAME', shown].join(' ')}${input}`
}
