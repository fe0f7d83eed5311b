import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { readJournal } from '../../src/store/journal.ts'
import { soon } from '../support/killing.ts'
import { RALPH, runRalph } from '../support/ralph.ts'
import { setStage } from './scene.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

const BUILD = ['build', '--tasks', 'T.md', '-m', '1', '--', 'sh']

/** A list for a build whose check stays red. */
function setProject() {
  const stage = setStage({ settings: { guardrails: [{ command: 'false' }] } })
  stage.write('T.md', '- [ ] make it green\n- [ ] ship\n')
  stage.write('a.txt', 'a\n')
  execFileSync('git', ['add', '-A'], { cwd: stage.project })
  return stage
}

/** A build whose agent works until the file `../go` is there. */
async function setAtWork() {
  const stage = setProject()
  const work = 'touch ../begun; until [ -e ../go ]; do sleep 0.05; done; echo "not done"'
  const run = stage.start(...BUILD, '-c', work)
  onTestFinished(() => run.kill('SIGKILL'))
  expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
  return { stage, run, id: basename(stage.runs()[0]!) }
}

/**
 * An agent that calls ralph again and again. A call is a line of shell with `$ralph`, run by `call NAME LINE`; what it
 * printed and its exit code are in a file of that name. Calls may be made by a process that nobody waits for.
 */
function setAgent(script: string) {
  const stage = setProject()
  const out = join(stage.root, 'out')
  mkdirSync(out)
  const lines = `
export ralph="${process.execPath} ${RALPH}" out=${out} id=$RALPH_RUN
call() {
  to="'$out/$1'"
  printf '%s\\n' "{ $2; } > $to.part 2>&1 < /dev/null; echo \\"exit \\$?\\" >> $to.part; mv $to.part $to" > $out/.script
  eval "$3 sh $out/.script"
  while [ ! -e "$out/$1" ]; do sleep 0.02; done
}
${script}
echo "not done"`
  writeFileSync(join(stage.root, 'agent.sh'), lines)
  const build = () => stage.ralph(...BUILD, join(stage.root, 'agent.sh'))
  const printed = () =>
    Object.fromEntries(
      readdirSync(out)
        .filter(name => !name.startsWith('.'))
        .sort()
        .map(name => [name, readFileSync(join(out, name), 'utf8')]),
    )
  return { ...stage, build, printed }
}

const kinds = (events: RunEvent[]) => events.map(event => event.type)
const REFUSAL = /^ralph: error: refused: this was called from within run \S+, and [^\n]*\n/
const REFUSED = new RegExp(`${REFUSAL.source}(.*\\n)?exit 2\\n$`)

/** How an agent may hide that it is one; the words come before the shell that calls. */
const KEEP = 'PATH="$PATH" HOME="$HOME" RALPH_HOME="$RALPH_HOME" ralph="$ralph" out="$out" id="$id"'
const WAYS: Record<string, string> = {
  'as it is': '',
  'no RALPH_RUN': 'env -u RALPH_RUN',
  'another RALPH_RUN': 'env RALPH_RUN=x',
  'no environment': `env -i ${KEEP}`,
  'a session of its own': `setsid env -i ${KEEP}`,
  'nobody that waits': `nohup_ env -i ${KEEP} setsid`,
  ...(has('script') && { 'a terminal': 'in_terminal' }),
}
const HELPERS = `
nohup_() { (nohup "$@" >/dev/null 2>&1 &) ; }
in_terminal() { script -qec "env -i ${KEEP.replaceAll('"', '\\"')} $*" /dev/null >/dev/null; }
`

describe('from within a run', () => {
  it('no command acts on that run or allows a project, and what reads still works', async () => {
    const { stage, run, id } = await setAtWork()
    const acting = [
      ['pause', id],
      ['pause'],
      ['cancel', id],
      ['tell', id, 'all is well'],
      ['tell', id, '#1', 'all is well'],
      ['approve', id, 'US-001'],
      ['reject', id, 'US-001', 'no tests'],
      ['todo', id, 'done', '#1'],
      ['todo', id, 'add', 'more'],
      ['todo', id, 'skip', '#2'],
      ['todo', id, 'edit', '#1', 'nothing'],
      ['resume', id],
      ['build', '--resume', id, 'all is well'],
      ['undo', id, '--yes', '--force'],
      ['gc', '--keep', '0', '--all'],
      ['trust'],
      ['task', 'create', 'T', 's', 'title', '--outcome', 'o', '--acceptance', 'a'],
      ['run', '-p', 'x', '--shared', '--trust', '--', 'true'],
    ]
    const reading = [
      ['status', id],
      ['status', '--json'],
      ['report'],
      ['todo', id],
      ['gc', '--dry-run'],
      ['doctor'],
    ]
    const { RALPH_TRUST: _, ...others } = stage.env
    const env = { ...others, RALPH_RUN: id }
    for (const words of acting) {
      const { code, stdout, stderr } = await stage.withEnv(env, ...words)
      expect([words, code, stdout, stderr]).toEqual([words, 2, '', expect.stringMatching(REFUSAL)])
    }
    for (const words of reading) {
      const { code } = await stage.withEnv(env, ...words)
      expect(words[0] === 'doctor' ? [0, 1] : [0], words.join(' ')).toContain(code)
    }
    expect((await runRalph(['diff'], { cwd: stage.project, env })).code).toBe(0)
    stage.write('../go', '')
    await run.ended
    expect(stage.runs()).toHaveLength(1)
    const events = stage.journal()
    expect(kinds(events)).not.toContain('control')
    expect(kinds(events)).not.toContain('instructed')
    expect(events.filter(e => e.type === 'edited' && e.by === 'person')).toEqual([])
    expect(existsSync(join(stage.ralphHome, 'trust.json'))).toBe(false)
  })

  /** One agent calls in every way; what each call printed, and what the run came to. */
  async function callInAllWays() {
    const calls = Object.entries(WAYS).flatMap(([name, way]) =>
      ['pause $id', 'trust'].map(
        line => `call '${name}, ${line.split(' ')[0]}' '$ralph ${line}' '${way.replaceAll("'", `'\\''`)}'`,
      ),
    )
    const agent = setAgent(`${HELPERS}${calls.join('\n')}`)
    await agent.build()
    return { printed: agent.printed(), kinds: kinds(agent.journal()) }
  }
  let called: ReturnType<typeof callInAllWays> | undefined

  it.each(Object.keys(WAYS))('a call is known with %s', async name => {
    called ??= callInAllWays()
    const { printed, kinds } = await called
    expect(printed[`${name}, pause`]).toMatch(REFUSED)
    expect(printed[`${name}, trust`]).toMatch(REFUSED)
    expect(kinds).not.toContain('control')
  })

  it('of a ralph with a home of its own, that home may be used as a person would', async () => {
    const agent = setAgent(`
export RALPH_HOME=$out/../other
mkdir -p $out/../inner/.ralph; cd $out/../inner
echo '{"guardrails":[{"command":"true"}]}' > .ralph/settings.json
unset RALPH_TRUST
call 1-trust '$ralph trust' ''
call 2-run '$ralph run -p x -m 1 -- echo more' ''
call 3-tell '$ralph tell $(basename $RALPH_HOME/runs/*) "go on"' ''
call 4-cancel '$ralph cancel' ''
call 5-gc '$ralph gc --keep 0' ''`)
    await agent.build()
    const printed = agent.printed()
    for (const [name, text] of Object.entries(printed))
      expect(text, name).toMatch(name === '2-run' ? /exit 1\n$/ : /exit 0\n$/)
    expect(printed['5-gc']).toContain('by deleting 1 run')
  })
})

describe('who sent a request', () => {
  it('is in the journal, the status and the report', async () => {
    const stage = setStage({
      calls: [
        [
          ['file', 'begun', ''],
          ['sleep', 60_000],
        ],
      ],
    })
    const run = stage.start('run', '-p', 'x')
    while (!existsSync(join(stage.project, 'begun'))) await new Promise(resolve => setTimeout(resolve, 20))
    await stage.spawn('tell', stage.runs()[0]!.split('/').at(-1)!, 'be quick')
    const sent = await stage.spawn('cancel')
    expect(sent.code, sent.stderr).toBe(0)
    await run.ended
    // Whoever runs these tests may have a terminal, or be an agent.
    const from = { pid: expect.any(Number) }
    const events = stage.journal().filter(e => e.type === 'instructed' || e.type === 'control')
    expect(events).toMatchObject([
      { type: 'instructed', from },
      { type: 'control', from },
    ])
    const by = /by a (person at \S+|process without a terminal|process of run \S+) \(pid \d+\)/
    expect((await stage.ralph('status')).stdout).toMatch(new RegExp(`asked +cancel, ${by.source}, .* ago\n`))
    const text = (await stage.ralph('report')).stdout.replace(/\s+/g, ' ')
    expect(text).toMatch(
      new RegExp(`requests \\S+ \\S+ UTC: instruction, ${by.source} .*: cancel, ${by.source}`),
    )
    expect(JSON.parse((await stage.ralph('report', '--json')).stdout).requests).toMatchObject([
      { what: 'instruction', from },
      { what: 'cancel', from },
    ])
  })

  it('is an agent of another run, if one steers it', async () => {
    const agent = setAgent(`
mkdir $out/../inner; cd $out/../inner
call 1-run '$ralph run -p x -m 1 -- echo more' ''
call 2-cancel '$ralph cancel' ''`)
    await agent.build()
    expect(agent.printed()['2-cancel']).toMatch(/^cancelled run/)
    const [outer, inner] = agent
      .runs()
      .map(dir => readJournal(dir))
      .sort((a, b) => a[0]!.at - b[0]!.at)
    const { id } = outer![0] as Extract<RunEvent, { type: 'began' }>
    expect(inner!.at(-1)).toMatchObject({ type: 'finished', result: 'cancelled', from: { within: [id] } })
  })
})
