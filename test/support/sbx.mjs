#!/usr/bin/env node
/*
 * Stands in for Docker's `sbx`. It takes only the words that its documentation knows, in an order that works, keeps a real
 * clone, and runs commands in it for real. Where the real one has a machine with the project's own path, this has a folder,
 * so it exchanges the two in what goes in and comes out. `SBX_STATE`: its folder. There `plan.json` says which calls fail or hang.
 */
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const state = process.env.SBX_STATE
const argv = process.argv.slice(2)
const at = (...names) => join(state, ...names)
const read = (path, otherwise) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : otherwise)
const write = (path, value) => writeFileSync(path, JSON.stringify(value))

const fail = message => {
  process.stderr.write(`ERROR: ${message}\n`)
  process.exit(1)
}

/** The verbs, and for an exec the name of ralph's script. */
function titleOf(words) {
  const script = words.find(word => /^ralph-[a-z]+$/.test(word))
  if (words[0] === 'exec') return script === undefined ? 'exec' : `exec ${script}`
  return words.slice(0, ['policy', 'secret'].includes(words[0]) ? 2 : 1).join(' ')
}

/** Takes the known flags off; `true`: it has a value. */
function flagsOf(words, known, isOpen = false) {
  const flags = {}
  const rest = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    if (!word.startsWith('-') || (isOpen && rest.length > 0)) rest.push(word)
    else if (!(word in known)) fail(`unknown flag: ${word}`)
    else if (!known[word]) flags[word] = true
    else flags[word] = [...(flags[word] ?? []), words[++i]]
  }
  return { flags, rest }
}

const sandboxes = read(at('sandboxes.json'), {})
const save = () => write(at('sandboxes.json'), sandboxes)
const need = name => sandboxes[name] ?? fail(`no sandbox named '${name}'`)
const git = (cwd, ...words) => spawnSync('git', ['-C', cwd, ...words], { encoding: 'utf8' })
const stdin = () => readFileSync(0, 'utf8')

/** The clone is served at another port each time the sandbox starts. */
async function serve(name) {
  const port = await new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address()
      server.close(() => resolve(free))
    })
  })
  const words = ['--listen=127.0.0.1', `--port=${port}`, `--base-path=${at(name)}`, '--export-all']
  const daemon = spawn('git', ['daemon', ...words], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH },
  })
  daemon.unref()
  sandboxes[name].daemon = daemon.pid
  git(sandboxes[name].path, 'config', `remote.sandbox-${name}.url`, `git://127.0.0.1:${port}/clone`)
}

function endServer(name) {
  const { daemon } = sandboxes[name]
  if (!(daemon > 1)) return
  try {
    process.kill(-daemon, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

const title = titleOf(argv)
if (!existsSync(state)) fail('SBX_STATE is not set')
appendFileSync(at('calls.ndjson'), `${JSON.stringify(argv)}\n`)
const planned = read(at('plan.json'), {})[title]
if (planned === 'hang') {
  writeFileSync(at('hanging'), String(process.pid))
  setInterval(() => {}, 1000)
} else if (planned?.startsWith('late ')) {
  // It does its work, and fails all the same.
  process.on('exit', () => {
    process.stderr.write(`ERROR: ${planned.slice(5)}\n`)
    process.exitCode = 1
  })
  act()
} else if (planned !== undefined) fail(planned)
else act()

function act() {
  const [verb, ...words] = argv
  const verbs = { version, diagnose: () => {}, ls, policy, secret, create, exec, stop, rm }
  ;(verbs[verb] ?? (() => fail(`unknown command "${verb}"`)))(words)
}

function version(words) {
  flagsOf(words, { '--json': false })
  const number = existsSync(at('version')) ? readFileSync(at('version'), 'utf8') : 'v0.46.0'
  process.stdout.write(`${JSON.stringify({ client: { version: number }, server: { state: 'running' } })}\n`)
}

function ls(words) {
  flagsOf(words, { '--json': false })
  const list = Object.entries(sandboxes).map(([name, { status, agent, path }]) => ({
    name,
    agent,
    status,
    workspaces: [path],
  }))
  process.stdout.write(`Starting sandboxd daemon...\n${JSON.stringify({ sandboxes: list })}\n`)
}

function policy([what, ...words]) {
  if (what === 'init') {
    if (existsSync(at('policy'))) fail('the global policy is already initialized')
    if (!['allow-all', 'balanced', 'deny-all'].includes(words[0])) fail(`unknown policy: ${words[0]}`)
    writeFileSync(at('policy'), words[0])
    return
  }
  const { flags, rest } = flagsOf(words, { '--sandbox': true })
  const [name] = flags['--sandbox'] ?? fail('the rule would hold for all sandboxes')
  const sandbox = need(name)
  if (rest[0] !== 'network' || rest.length !== 2) fail('usage: sbx policy allow network RESOURCES')
  if (what === 'check') {
    const isAllowed = sandbox.allowed.includes(rest[1]) || readFileSync(at('policy'), 'utf8') === 'allow-all'
    process.stdout.write(`${isAllowed ? 'Allowed' : 'Denied'}: ${rest[1]}\n`)
    return
  }
  if (what !== 'allow') fail(`unknown command "policy ${what}"`)
  sandbox.allowed = [...new Set([...sandbox.allowed, ...rest[1].split(',')])]
  save()
}

function secret([what, ...words]) {
  const { flags, rest } = flagsOf(words, { '--sandbox': true })
  if (what !== 'set' || rest.length !== 1) fail('usage: sbx secret set SERVICE')
  const [name] = flags['--sandbox'] ?? fail('the secret would be in all sandboxes')
  const value = stdin()
  if (value === '') fail('no secret on standard input')
  need(name).secrets[rest[0]] = value
  save()
}

async function create(words) {
  const { flags, rest } = flagsOf(words, { '--name': true, '--clone': false })
  if (!existsSync(at('policy'))) fail('the global network policy is not initialized')
  const [name] = flags['--name'] ?? fail('no name')
  const [agent, path, ...more] = rest
  if (!/^[a-z\d][a-z\d.-]{0,61}[a-z\d]$/i.test(name)) fail(`invalid name: ${name}`)
  if (sandboxes[name]) fail(`sandbox '${name}' already exists`)
  if (!['claude', 'codex', 'copilot', 'gemini', 'opencode', 'shell'].includes(agent))
    fail(`unknown agent: ${agent}`)
  if (!flags['--clone']) fail('this would share the working tree')
  if (!statSync(join(path, '.git')).isDirectory()) fail('--clone cannot be used in a worktree')
  for (const folder of more)
    if (!folder.endsWith(':ro') || !existsSync(folder.slice(0, -3))) fail(`${folder} is not read-only`)
  mkdirSync(at(name, 'home'), { recursive: true })
  const clone = at(name, 'clone')
  if (spawnSync('git', ['clone', '-q', path, clone], { stdio: 'ignore' }).status !== 0) fail('clone failed')
  sandboxes[name] = { agent, path, status: 'running', allowed: [], secrets: {} }
  git(path, 'config', `remote.sandbox-${name}.fetch`, `+refs/heads/*:refs/remotes/sandbox-${name}/*`)
  git(path, 'config', '--add', `remote.sandbox-${name}.fetch`, `+refs/heads/*:refs/sandboxes/${name}/*`)
  await serve(name)
  save()
}

async function exec(words) {
  const known = { '-i': false, '-u': true, '-w': true, '-e': true }
  const { flags, rest } = flagsOf(words, known, true)
  const [name, ...command] = rest
  const sandbox = need(name)
  const clone = at(name, 'clone')
  if (sandbox.status !== 'running') {
    sandbox.status = 'running'
    await serve(name)
    save()
  }
  const into = text => text.replaceAll(sandbox.path, clone)
  const given = (flags['-e'] ?? []).map(word => {
    const equals = word.indexOf('=')
    return equals < 0
      ? [word, process.env[word] ?? '']
      : [word.slice(0, equals), into(word.slice(equals + 1))]
  })
  const env = {
    PATH: process.env.SBX_PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: at(name, 'home'),
    SANDBOX_NAME: name,
    ...Object.fromEntries(given),
  }
  const cwd = flags['-w'] ? into(flags['-w'][0]) : clone
  if (!existsSync(cwd)) fail(`no such directory: ${flags['-w']}`)
  const child = spawn(into(command[0]), command.slice(1).map(into), {
    cwd,
    env,
    // No signal from outside reaches what runs inside.
    detached: true,
    stdio: [flags['-i'] ? 'inherit' : 'ignore', 'pipe', 'pipe'],
  })
  const out = chunk =>
    Buffer.from(
      chunk
        .toString('latin1')
        .replaceAll(Buffer.from(clone).toString('latin1'), Buffer.from(sandbox.path).toString('latin1')),
      'latin1',
    )
  child.stdout.on('data', chunk => process.stdout.write(out(chunk)))
  child.stderr.on('data', chunk => process.stderr.write(out(chunk)))
  child.on('error', error => fail(`exec failed: ${error.message}`))
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 137 : code
    // What it left running may hold its output.
    setTimeout(() => process.exit(), 50).unref()
  })
}

function stop([name, ...more]) {
  if (more.length > 0) fail('one at a time')
  need(name).status = 'stopped'
  endServer(name)
  save()
}

function rm(words) {
  const { flags, rest } = flagsOf(words, { '--force': false })
  if (!flags['--force']) fail('stdin is not a terminal; use --force')
  const [name] = rest
  git(need(name).path, 'remote', 'remove', `sandbox-${name}`)
  endServer(name)
  rmSync(at(name), { recursive: true, force: true })
  delete sandboxes[name]
  save()
}
