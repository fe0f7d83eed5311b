// Does once what people do most, and keeps the code that V8 made for it beside the bundles (see src/cli/open-bundle.ts).
// A process of its own: what it does must leave no trace in the build's.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const require = createRequire(import.meta.url)
const [opener, dist] = process.argv.slice(2).map(path => resolve(path))
const { bundleRequire, codePath } = require(opener)

/** What an agent says: it looks, calls a tool, and gives its answer. */
const stream = answer =>
  [
    { type: 'system', subtype: 'init', session_id: 's', model: 'm' },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'Looking.' }] } },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'make' } }] },
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content: '12 passed' }] },
    },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: answer,
      total_cost_usd: 0.01,
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  ]
    .map(line => JSON.stringify(line))
    .join('\n')

/** The agent that most people have. Every second call, it says that it is done, and marks a story. */
function writeAgent(path) {
  const script = [
    '#!/bin/sh',
    `case "$*" in *--help) echo '  -p, --print  Print'; exit ;; --version) echo 1.0.0; exit ;; esac`,
    'cat >/dev/null',
    'echo work >>work.txt',
    'echo work >>work.test.js',
    `if [ -e ../called ]; then rm ../called; [ ! -e ralph/tasks.json ] || sed -i.old 's/"passes":false/"passes":true/' ralph/tasks.json`,
    `  echo '${stream('<response>DONE</response>')}'`,
    `else : >../called; echo '${stream('Working.')}'; fi`,
    '',
  ]
  writeFileSync(path, script.join('\n'))
  chmodSync(path, 0o755)
}

/** Without git at the build, ralph compiles what it does with git when it first does it. */
function makeRepository() {
  try {
    const git = (...args) => execFileSync('git', args, { stdio: 'ignore' })
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'ralph')
    git('config', 'user.email', 'ralph@example.invalid')
    git('add', '-A')
    git('commit', '-q', '-m', 'start')
  } catch {}
}

const scratch = mkdtempSync(join(tmpdir(), 'ralph-warm-'))
try {
  const project = join(scratch, 'project')
  mkdirSync(join(project, 'ralph'), { recursive: true })
  process.chdir(project)
  Object.assign(process.env, { HOME: scratch, RALPH_HOME: join(scratch, 'home'), RALPH_TRUST: '1' })
  const tasks = ['one', 'two'].map((content, i) => ({
    id: `#${i + 1}`,
    content,
    status: 'pending',
    activeForm: content,
    blockedBy: [],
  }))
  writeFileSync('tasks.json', JSON.stringify(tasks))
  const story = {
    id: 'US-1',
    title: 'one',
    description: 'one',
    acceptanceCriteria: ['It works'],
    priority: 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
  }
  const list = {
    project: 'p',
    branchName: 'main',
    description: 'd',
    verifyCommands: [],
    userStories: [story],
  }
  writeFileSync('ralph/tasks.json', JSON.stringify(list))
  for (const name of ['prd.md', 'prompt.md', 'progress.txt']) writeFileSync(join('ralph', name), 'x\n')
  const agent = join(scratch, 'claude')
  writeAgent(agent)
  makeRepository()

  const scripts = new Map()
  const open = bundleRequire(dist, require, (path, script) => scripts.set(path, script))
  const { main } = open('./program.js')
  const text = ['--', 'sh', '-c', 'cat >/dev/null; echo "<response>DONE</response>"']
  const said = []
  for (const words of [
    ['--help'],
    ['run', '--help'],
    ['run', '-p', 'x', '-a', agent],
    ['run', '-p', 'x', '-a', agent, '--check', 'true'],
    ['run', '-p', 'x', ...text],
    ['stories', '--skip-review', '-a', agent],
    ['build', '--tasks', 'tasks.json', ...text],
    ['status'],
    ['report'],
  ])
    said.push([words.join(' '), await main(words)])
  const failed = said.filter(([, code]) => code !== 0)
  if (failed.length > 0) throw new Error(`while warming up: ${JSON.stringify(failed)}`)
  for (const [path, script] of scripts) writeFileSync(codePath(path), script.createCachedData())
} finally {
  process.chdir('/')
  rmSync(scratch, { recursive: true, force: true })
}
