import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { known } from '../../src/agents/index.ts'
import { flagsIn, type ProbeOptions, probe } from '../../src/agents/probe/probe.ts'
import type { Ask } from '../../src/core/ports.ts'
import { scratch } from '../support/scratch.ts'

/** Runs a real process; one that exits with anything is no failure of ours. */
const run: ProbeOptions['run'] = ([program, ...args], signal) =>
  new Promise((resolve, reject) => {
    const child = execFile(program!, args, { signal }, (error, stdout, stderr) =>
      error && typeof error.code !== 'number'
        ? reject(error)
        : resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end()
  })

const UNKNOWN = { version: null, flags: null }
const HELP = 'echo "  -p, --print  Print"'

/** A program that notes how it is called and then does as its script says. */
function makeProgram({ help = HELP, version = 'echo 1.2.3' } = {}) {
  const dir = scratch()
  const path = join(dir, 'claude')
  const log = join(dir, 'calls')
  const write = (lines: { help?: string; version?: string }) => {
    const script = `#!/bin/sh\necho "$*" >> '${log}'\ncase "$*" in *--help) ${lines.help};; --version) ${lines.version};; esac\n`
    writeFileSync(`${path}.new`, script)
    chmodSync(`${path}.new`, 0o755)
    renameSync(`${path}.new`, path)
  }
  write({ help, version })
  return {
    path,
    write,
    cacheDir: join(dir, 'cache'),
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    probe: (more: Partial<ProbeOptions> = {}) =>
      probe({ path, name: 'claude', cacheDir: join(dir, 'cache'), run, ...more }),
  }
}

describe('a program is asked', () => {
  test('for its version and its flags', async () => {
    const program = makeProgram()
    expect(await program.probe()).toEqual({ version: '1.2.3', flags: new Set(['-p', '--print']) })
    expect(program.calls().sort()).toEqual(['--help', '--version'])
  })

  test.each([
    ['codex', 'exec --help'],
    ['opencode', 'run --help'],
    ['amp', '--help'],
  ])('where %s explains what it is given', async (name, words) => {
    const program = makeProgram()
    await program.probe({ name })
    expect(program.calls().sort()).toEqual(['--version', words].sort())
  })

  test('and may answer on standard error', async () => {
    const program = makeProgram({ help: `${HELP} >&2` })
    expect((await program.probe()).flags).toEqual(new Set(['-p', '--print']))
  })

  test.each([
    ['2.1.325 (Claude Code)', '2.1.325'],
    ['codex-cli 0.166.0', '0.166.0'],
    ['GitHub Copilot CLI 1.0.102.', '1.0.102'],
    ['0.0.1790142911-g0a1b2c (released 2026-11-15)', '0.0.1790142911-g0a1b2c'],
    ['none', null],
  ])('what it calls %j is its version %j', async (says, version) => {
    const program = makeProgram({ version: `echo '${says}'` })
    expect((await program.probe()).version).toBe(version)
  })

  test('only if ralph knows it: a stranger may do anything on --help', async () => {
    const program = makeProgram()
    expect(await program.probe({ name: 'deploy' })).toEqual(UNKNOWN)
    expect(program.calls()).toEqual([])
  })
})

describe('an answer is remembered', () => {
  test('for this very binary, by whatever name it is reached', async () => {
    const program = makeProgram()
    const first = await program.probe()
    const link = join(scratch(), 'claude')
    symlinkSync(program.path, link)
    expect(await program.probe({ path: link })).toEqual(first)
    expect(program.calls()).toHaveLength(2)
  })

  test('until the binary changes', async () => {
    const program = makeProgram()
    await program.probe()
    program.write({ help: 'echo "  --new  New"', version: 'echo 2.0.0' })
    const changed = { version: '2.0.0', flags: new Set(['--new']) }
    expect(await program.probe()).toEqual(changed)
    expect(await program.probe()).toEqual(changed)
    expect(program.calls()).toHaveLength(4)
    utimesSync(program.path, 1, 1)
    await program.probe()
    expect(program.calls()).toHaveLength(6)
    program.write({ help: HELP, version: 'echo 3.0.0-of-another-size' })
    utimesSync(program.path, 1, 1)
    await program.probe()
    expect(program.calls()).toHaveLength(8)
  })

  test('beside those of others', async () => {
    const one = makeProgram()
    const other = makeProgram({ version: 'echo 9.9.9' })
    await one.probe()
    await other.probe({ cacheDir: one.cacheDir })
    expect((await one.probe()).version).toBe('1.2.3')
    expect(one.calls()).toHaveLength(2)
    expect(readdirSync(one.cacheDir)).toEqual(['capabilities.json'])
  })

  test.each<[string, (entry: object) => unknown]>([
    ['a list', () => []],
    ['no entry', () => 7],
    ['an entry without flags', entry => ({ ...entry, flags: undefined })],
    ['an entry with odd flags', entry => ({ ...entry, flags: [7] })],
    ['an entry without a version', entry => ({ ...entry, version: null })],
  ])('and asked for again if what is kept is %s', async (_, spoil) => {
    const program = makeProgram()
    const learned = await program.probe()
    const file = join(program.cacheDir, 'capabilities.json')
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ [program.path]: spoil(kept[program.path]) }))
    expect(await program.probe()).toEqual(learned)
    expect(program.calls()).toHaveLength(4)
    writeFileSync(file, '{"torn')
    expect(await program.probe()).toEqual(learned)
    expect(program.calls()).toHaveLength(6)
  })

  test('if it can be: a memory that cannot be written is no trouble', async () => {
    const program = makeProgram()
    writeFileSync(program.cacheDir, 'a file, not a folder')
    expect((await program.probe()).version).toBe('1.2.3')
    const { cacheDir, ...other } = makeProgram()
    mkdirSync(join(cacheDir, 'capabilities.json'), { recursive: true })
    expect((await other.probe()).version).toBe('1.2.3')
    expect(readdirSync(cacheDir)).toEqual(['capabilities.json'])
  })
})

describe('what cannot be learned is unknown, and asked for again', () => {
  test.each([
    ['fails', { help: `${HELP}; exit 1` }],
    ['lists no flags', { help: 'echo help' }],
  ])('where help %s', async (_, lines) => {
    const program = makeProgram(lines)
    expect(await program.probe()).toEqual({ version: '1.2.3', flags: null })
    program.write({ help: HELP, version: 'echo 1.2.3' })
    expect((await program.probe()).flags).not.toBeNull()
  })

  test('where the program keeps silent, which is then ended', async () => {
    const program = makeProgram({ help: 'exec sleep 60' })
    const ended: unknown[] = []
    const watched: ProbeOptions['run'] = (argv, signal) => {
      signal.addEventListener('abort', () => ended.push(argv.at(-1)))
      return run(argv, signal)
    }
    expect(await program.probe({ run: watched, timeoutMs: 300 })).toMatchObject({ flags: null })
    expect(ended).toEqual(['--help'])
    expect(existsSync(program.cacheDir)).toBe(false)
  })

  test('where there is no such program, or none that starts', async () => {
    const { path, probe } = makeProgram()
    expect(await probe({ path: `${path}.gone` })).toEqual(UNKNOWN)
    chmodSync(path, 0o644)
    expect(await probe()).toEqual(UNKNOWN)
    const throws = () => {
      throw new Error('at once')
    }
    expect(await probe({ run: throws })).toEqual(UNKNOWN)
  })
})

const ask: Ask = { prompt: '', model: 'm', flags: [], mode: 'stream', budgetUsd: 1, root: false }
const unread = { version: null, flags: null }

/** The recorded help of a CLI, as its probe reads it. */
function helpOf(cli: string): string {
  const all = readFileSync(new URL(`../recordings/help/${cli}-help.txt`, import.meta.url), 'utf8')
  const words = { codex: 'exec ', opencode: 'run ' }[cli] ?? ''
  const [, help = ''] = all.split(`##### ${cli} ${words}--help\n`)
  return help.split(/^#{5} /m, 1)[0]!
}

describe('the flags in a help text', () => {
  test.each([...known.keys()])('of %s are those that ralph gives it', name => {
    const { make } = known.get(name)!
    const flags = flagsIn(helpOf(name))
    for (const mode of ['stream', 'text'] as const) {
      const { argv } = make().command({ ...ask, mode }, unread)
      const missing = argv.filter(word => /^-./.test(word) && !flags.has(word))
      // Amp takes this one without listing it.
      expect(missing).toEqual(name === 'amp' ? ['--dangerously-allow-all'] : [])
      expect(make().command({ ...ask, mode }, { version: '1', flags }).argv).toEqual(argv)
    }
  })

  test.each<[string, string[], string[]]>([
    ['amp', ['-x', '--execute', '-ox', '--no-color', '-m'], ['--help', '-c']],
    ['claude', ['--allowedTools', '--allowed-tools', '-p', '--max-budget-usd', '-w'], ['--system', '-e']],
    ['codex', ['-m', '--model', '--json'], ['--full-auto', '--yolo', '-a']],
    ['copilot', ['-C', '-s', '--no-auto-update', '--resume'], ['--prefer-version', '-d']],
    ['gemini', ['-y', '--yolo', '--skip-trust', '-o'], ['--auto-update', '--all']],
    ['opencode', ['-m', '--auto', '--format'], ['--yolo', '--mini']],
  ])('of %s hold %j and not %j', (name, has, lacks) => {
    const flags = flagsIn(helpOf(name))
    expect(has.filter(flag => !flags.has(flag))).toEqual([])
    expect(lacks.filter(flag => flags.has(flag))).toEqual([])
  })

  test.each([
    ['  -m, --model <name>  The model', ['-m', '--model']],
    ['      --json\n          Prints --lines of JSON', ['--json']],
    ['  --json  Like --lines, in JSON', ['--json']],
    ['  --a|--b   or', ['--a', '--b']],
    ['  --colour=<when>  When', ['--colour']],
    ['  \u001b[1m--bold\u001b[0m  ANSI', ['--bold']],
    ['          --deep prose begins with a flag', []],
    ['Use --this or - that', []],
    ['  - a list\n  -- not a flag', []],
    ['', []],
  ])('%j → %j', (help, flags) => expect([...flagsIn(help)]).toEqual(flags))
})
