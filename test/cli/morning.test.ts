import { appendFileSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { periodSince, showMorning } from '../../src/cli/commands/see/morning.ts'
import type { RunEvent } from '../../src/core/events.ts'
import { makeRunDir } from '../../src/runs/find.ts'
import { journalPath } from '../../src/store/journal.ts'
import type { Morning } from '../../src/view/morning/model.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { DONE, saying } from '../support/agent-script.ts'
import { callWith } from '../support/io.ts'
import { startRalph } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { journal } from '../view/report-journal.ts'
import { item, plans, says, setBuild } from './build-scene.ts'
import { setRepository } from './repository.ts'
import { setStage } from './scene.ts'
import { setStories, story } from './stories-stage.ts'

type Stage = { env: Record<string, string>; withEnv: ReturnType<typeof setStage>['withEnv'] }

/** Runs of several projects on one machine. */
function setHome(home = join(scratch(), 'home')) {
  const ralph = (stage: Stage, ...args: string[]) =>
    stage.withEnv({ ...stage.env, RALPH_HOME: home }, ...args)
  return {
    home,
    ralph,
    morning: async (stage: Stage, ...args: string[]): Promise<Morning> =>
      JSON.parse((await ralph(stage, 'morning', '--json', ...args)).stdout),
    add(id: string, events: readonly RunEvent[]) {
      const path = journalPath(makeRunDir(home, id))
      writeFileSync(
        path,
        events
          .map(event => `${JSON.stringify({ ...event, ...(event.type === 'began' && { id }) })}\n`)
          .join(''),
      )
      return path
    },
  }
}

const COMMITS = { scm: { command: 'git', tasks: ['commit'] } }

describe('ralph morning', () => {
  it('tells in the order of urgency what real runs of a night came to, with commands that work', async () => {
    const { ralph, morning } = setHome()
    const cart = setRepository({
      settings: { ...COMMITS, guardrails: [{ command: 'test -f cart.js' }] },
      calls: [[['file', 'cart.js', ''], DONE]],
    })
    await ralph(cart, 'run', '-p', 'Write the cart')
    const claimed = setRepository({ calls: [[['file', 'page.html', ''], DONE]] })
    await ralph(claimed, 'run', '-p', 'Make a page')
    const shop = setBuild({
      plan: [plans(item(1), item(2), item(3))],
      work: {
        '#2': [says('<blocked>Which country?</blocked>'), [['file', 'tax.js', ''], saying('Made it.')]],
      },
      settings: { ...COMMITS, guardrails: [{ command: 'true' }] },
    })
    appendFileSync(join(shop.project, '.git', 'config'), '[user]\n\tname = Me\n\temail = me@example.org\n')
    await ralph(shop, 'build', 'A shop', '--refine', 'off')
    const notes = setStories({
      stories: [story('US-001', { title: 'Add a note' }), story('US-002', { title: 'List notes' })],
      settings: { review: { cap: 1, atCap: 'approve' }, guardrails: [{ command: 'true' }] },
      calls: [null, h => h.reject('no tests'), null, null],
    })
    await ralph(notes, 'stories')
    const stuck = setStage({
      settings: { guardrails: [{ command: 'test -f never' }] },
      calls: [[['append', 'x', 'x'], DONE]],
    })
    await ralph(stuck, 'run', '-p', 'Try', '-m', '2')

    const found = await morning(cart)
    expect(found.runs).toBe(5)
    expect(found.needsYou.map(({ command, needs }) => [command, ...needs.map(({ kind }) => kind)])).toEqual([
      ['build', 'question'],
      ['run', 'unfinished'],
    ])
    const [asking] = found.needsYou
    expect(asking!.needs[0]).toMatchObject({ task: '#2', title: 'Make part 2', why: 'Which country?' })
    const landed = found.landed.map(({ command, tasks }) => [
      command,
      ...tasks.map(({ task, how }) => `${task} ${how}`),
    ])
    expect(landed).toEqual([
      ['run', 'null verified'],
      ['run', 'null claimed'],
      ['build', '#1 verified', '#3 verified'],
      ['stories', 'US-001 capped', 'US-002 verified'],
    ])
    expect(found.landed[0]!.tasks[0]!.commits).toEqual([cart.git('rev-parse', 'HEAD').slice(0, 10)])
    expect(found.lookFirst.map(({ reasons }) => reasons[0])).toEqual([
      'approved at the cap, not by a reviewer: US-001',
      'claimed: nothing verified it',
      'it ended with changes, and nothing was done',
      'verified',
      'verified',
    ])
    expect(found.costs.total).toMatchObject({ verified: 4, unpriced: 0 })
    expect(found.stillRunning).toEqual([])

    const { stdout, stderr } = await ralph(cart, 'morning')
    expect(stderr).toBe('')
    expect(stdout.split('\n').filter(line => widthOf(line) > 80)).toEqual([])
    const titles = ['Needs you', 'Landed', 'What it cost', 'What to look at first']
    expect(stdout.split('\n').filter(line => /^[A-Z]/.test(line))).toEqual(titles)

    const [tell] = asking!.needs[0]!.commands
    expect(tell).toBe(`ralph tell ${asking!.run} 2 "your answer"`)
    for (const command of [tell!, asking!.resume!])
      expect(await ralph(shop, ...wordsOf(command))).toMatchObject({
        code: 0,
        stderr: expect.not.stringContaining('error'),
      })
    const after = await morning(cart)
    expect(after.needsYou.map(({ command }) => command)).toEqual(['run'])
    expect(after.landed[2]!.tasks.map(({ task }) => task)).toEqual(['#1', '#2', '#3'])
  })

  it('tells what is at work, and what was cut off', async () => {
    const { home, ralph, morning } = setHome()
    const stage = setStage({ calls: [[['hang']]] })
    const started = startRalph(['run', '-p', 'Work on'], {
      cwd: stage.project,
      env: { ...stage.env, RALPH_HOME: home },
    })
    onTestFinished(() => started.kill('SIGKILL'))
    await until(async () => (await morning(stage)).stillRunning[0]?.iteration === 1)
    const { stillRunning, needsYou } = await morning(stage)
    expect(stillRunning).toMatchObject([{ command: 'run', work: 'Work on', iteration: 1, iterations: 10 }])
    expect(needsYou).toEqual([])
    started.kill('SIGKILL')
    await started.ended
    const after = await morning(stage)
    expect(after.stillRunning).toEqual([])
    expect(after.needsYou).toMatchObject([
      { needs: [{ kind: 'crashed' }], resume: `ralph resume ${after.needsYou[0]!.run}` },
    ])
    expect((await ralph(stage, 'morning')).stdout).toContain('it was cut off: its process died')
  })

  it('calls a worker by its name', async () => {
    const { home, add, morning } = setHome()
    const stage = setStage()
    add('1-run', recent(journal().finish('failures', 'x')))
    mkdirSync(join(home, 'workers', 'night'), { recursive: true })
    const ref = { pid: 1, startTime: '', host: '' }
    const record = {
      v: 1,
      name: 'night',
      run: '1-run',
      project: '/x',
      command: 'run',
      watched: 'stream',
      window: null,
    }
    writeFileSync(
      join(home, 'workers', 'night', 'worker.json'),
      JSON.stringify({ ...record, spawned: 1, starter: ref, deadline: 1, supervisor: null }),
    )
    expect((await morning(stage)).needsYou).toMatchObject([
      { run: '1-run', name: 'night', resume: 'ralph resume night' },
    ])
  })

  it('leaves out what is older, without reading it, and what --since leaves out', async () => {
    const { add, morning } = setHome()
    const stage = setStage()
    const old = add('0-old', journal().finish('failures', 'x'))
    appendFileSync(old, 'this would be an error, if anybody read it\n')
    utimesSync(old, 1, 1)
    add('1-copied', journal().finish('failures', 'x'))
    add('2-new', recent(journal().finish('failures', 'x')))
    const names = async (...args: string[]) => {
      const { needsYou, skipped } = await morning(stage, ...args)
      return [...needsYou.map(({ name }) => name), ...skipped.map(({ run }) => `skipped ${run}`)]
    }
    expect(await names()).toEqual(['2-new'])
    expect(await names('--since', '30m')).toEqual([])
    expect(await names('--since', '2026-02-28')).toEqual(['1-copied', '2-new'])
    expect(await names('--since', '1969-12-31')).toEqual(['1-copied', '2-new', 'skipped 0-old'])
  })

  it('leaves out runs that it cannot read, with a warning', async () => {
    const { home, add, ralph } = setHome()
    add('1-good', recent(journal().finish('failures', 'x')))
    writeFileSync(join(makeRunDir(home, '2-broken'), 'journal.ndjson'), 'x\n')
    mkdirSync(join(makeRunDir(home, '3-foreign'), 'journal.ndjson'))
    mkdirSync(join(home, 'runs', '4-empty'))
    const [began] = recent(journal().events)
    add('5-newer', [{ ...began, v: 3 } as never])
    const { code, stdout, stderr } = await ralph(setStage(), 'morning')
    expect(code).toBe(0)
    expect(stdout).toContain('ralph morning: 1 run ')
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining('ralph: warning: run 2-broken is left out: '),
      expect.stringContaining('ralph: warning: run 3-foreign is left out: '),
      'ralph: warning: run 5-newer is left out: run 5-newer was made by a newer ralph; update ralph to continue it',
      '',
    ])
  })

  it('writes a page into the file that is named, or to a pipe', async () => {
    const { add, ralph } = setHome()
    const stage = setStage()
    add('1-run', recent(journal({ tasks: [['A', '<b>x</b>']] }).start({ task: 'A' }).events))
    const page = (await ralph(stage, 'morning', '--html')).stdout
    expect(page).toMatch(/^<!doctype html>[\s\S]*1-run[\s\S]*<\/html>\n$/)
    const { stdout } = await ralph(stage, 'morning', '--html', 'night.html')
    expect(stdout).toBe(`the page is ${join(stage.project, 'night.html')}; open it in a browser\n`)
    expect(stage.read('night.html')).toContain('1-run')
    const { code, stderr } = await ralph(stage, 'morning', '--html', 'nowhere/night.html')
    expect([code, stderr]).toEqual([
      2,
      `ralph: error: cannot write to ${join(stage.project, 'nowhere/night.html')}: it cannot be created; ralph morning --html FILE writes it elsewhere\n`,
    ])
  })

  it('writes the page into ralph’s own folder at a terminal, for its owner alone', async () => {
    const { home } = setHome()
    let shown = ''
    const stdout = { isTTY: true, columns: 200, write: (text: string) => (shown += text) }
    const code = showMorning({ html: true }, { stdout, stderr: stdout, env: { RALPH_HOME: home } })
    const path = join(home, 'morning.html')
    expect([code, shown]).toEqual([0, `the page is ${path}; open it in a browser\n`])
    expect(readFileSync(path, 'utf8')).toContain('A quiet night')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('goes by the clock that it is given', async () => {
    const { home, add } = setHome()
    add('1-run', recent(journal().finish('failures', 'x'), new Date(2026, 2, 1, 22).getTime()))
    const said = (now: Date) => callWith({ RALPH_HOME: home }, io => showMorning({}, io, now.getTime()))
    expect((await said(new Date(2026, 2, 2, 7))).stdout).toContain(
      'ralph morning: 1 run since yesterday 18:00\n',
    )
    expect((await said(new Date(2026, 2, 4, 13))).stdout).toContain('nothing ran in the last 24 hours')
  })

  it.each([
    [
      ['--since', 'whenever'],
      '--since "whenever" is neither a time span such as 12h, nor a date such as 2026-11-17, nor yesterday or today',
    ],
    [['--since', '2026-02-30'], '--since "2026-02-30" is neither'],
    [['--since', '0h'], '--since "0h" is neither'],
    [['--since', '2999-01-01'], '--since "2999-01-01" is in the future'],
    [['--json', '--html'], "option '--json' cannot be used with option '--html [file]'"],
  ])('%j is refused in one line', async (args, message) => {
    const { ralph } = setHome()
    const { code, stderr } = await ralph(setStage(), 'morning', ...args)
    expect([code, stderr.split('\n').length]).toEqual([2, 2])
    expect(stderr).toContain(message)
  })

  it('is safe to look at, whatever a run is called', async () => {
    const { add, ralph } = setHome()
    const title = '\x1b]0;evil\x07\u202eTitle'
    add('1-run', recent(journal({ tasks: [['A', title]] }).iterate({ task: 'A', move: 'pass' }).events))
    for (const form of [[], ['--json'], ['--html']]) {
      const { stdout } = await ralph(setStage(), 'morning', ...form)
      expect(stdout).toContain('Title')
      expect(/[\x00-\x09\x0b-\x1f\u202e]/.exec(stdout)).toBeNull()
    }
  })
})

describe('the period', () => {
  const at = (time: string) => new Date(time).getTime()
  const now = at('2026-11-18T07:30')

  it.each([
    [undefined, '2026-11-17T18:00', 'since yesterday 18:00'],
    ['12h', '2026-11-17T19:30', 'in the last 12h'],
    ['1h30m', '2026-11-18T06:00', 'in the last 1h30m'],
    ['yesterday', '2026-11-17T00:00', 'since yesterday'],
    ['today', '2026-11-18T00:00', 'since today'],
    ['2026-11-01', '2026-11-01T00:00', 'since 2026-11-01'],
  ])('of --since %s begins at %s', (word, since, words) => {
    expect(periodSince(word, now)).toEqual({ since: at(since), now, words })
  })
})

/** The journal as if it had ended then, or an hour ago. */
function recent(events: readonly RunEvent[], end = Date.now() - 3_600_000): RunEvent[] {
  const by = end - events.at(-1)!.at
  return events.map(event => ({ ...event, at: event.at + by }))
}

/** As a shell splits it. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => (quoted ?? bare)!).slice(1)
