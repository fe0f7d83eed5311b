import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { setStage } from '../cli/scene.ts'
import { hasPty, openPty } from '../support/pty.ts'
import { RALPH } from '../support/ralph.ts'
import { CONTROLS, HOSTILE, UNENDED, UNSEEN } from '../view/hostile.ts'
import { runOnDisk } from './run-on-disk.ts'

type Stage = ReturnType<typeof setStage>

const SMALL = { columns: 80, rows: 24 }

const openWatch = (
  stage: Stage,
  id: string,
  more: { env?: Record<string, string>; size?: typeof SMALL } = {},
) =>
  openPty([process.execPath, RALPH, 'watch', id], {
    cwd: stage.project,
    env: { ...stage.env, ...more.env },
    ...(more.size ?? SMALL),
  })

/** What it takes to begin and to leave: the alternate screen, no cursor, no broken lines, pasted text marked. */
const AROUND = /\x1b\[\?(?:1049|25|7|2004)[hl]/g
const FRAMING = /\x1b\[(?:\?2026[hl]|\d+;1H|2[JK]|0m)/g
const COLOURS = /\x1b\[(?:1|2|7|22|27|31|32|33|36|39)m/g

const texts = [...HOSTILE.map(([, evil]) => evil), ...UNENDED].filter(text => text.length < 1000)

/** Not text at all: C1 controls as single bytes, halves of characters, too long forms, surrogates in UTF-8. */
const BYTES: readonly (readonly number[])[] = [
  [0x9b, 0x32, 0x4a],
  [0x9d, 0x30, 0x3b, 0x65, 0x76, 0x69, 0x6c, 0x07],
  [0x90, 0x65, 0x9c],
  [0xc2, 0x9b, 0x32, 0x4a],
  [0xe2, 0x80],
  [0xf0, 0x9f, 0x98],
  [0xc0, 0x9b],
  [0xed, 0xa0, 0x80],
  [0xff, 0xfe, 0x1b, 0x5b, 0x32, 0x4a],
  [0x00, 0x08, 0x0d, 0x1b, 0x63],
]

describe.skipIf(!hasPty)('what the screen writes to a terminal', () => {
  it('has nothing raw of what agents, checks, lists and people wrote, whatever the view', async () => {
    const stage = setStage()
    const evil = texts.join(' ')
    const run = runOnDisk(stage, [
      ['#1', evil],
      ['#2', texts.slice(40).join(' ')],
    ])
    run.start()
    run.record({ type: 'instructed', text: evil })
    run.record({ type: 'warned', note: evil })
    writeFileSync(join(run.folder, 'guardrail_001_npm_test.log'), Buffer.from([...BYTES.flat()]))
    const terminal = openWatch(stage, run.id)
    await terminal.waitFor('build ·')
    for (const [at, text] of texts.entries()) {
      const id = `tool ${at} ${text}`
      run.say(
        { type: 'text', text: `${text}seen` },
        { type: 'tool_use', id, name: text, input: { command: text } },
      )
      run.result(id, text)
    }
    for (const bytes of BYTES) {
      run.write(Buffer.from([...bytes, 0x0a]))
      const said = Buffer.from(
        '{"type":"assistant","message":{"content":[{"type":"text","text":"said Q"}]}}\n',
      )
      run.write(Buffer.concat([said.subarray(0, -6), Buffer.from(bytes), said.subarray(-6)]))
    }
    run.say({ type: 'text', text: `${'x'.repeat(10_000_000)}\x1b]0;evil\x07` })
    run.say({ type: 'text', text: 'the very last' })
    await terminal.waitFor('the very last')
    run.writeList(
      JSON.stringify([{ id: '#1', content: evil, activeForm: evil }, { content: `${evil} added` }]),
    )
    for (const key of ['o', '2', '\r', '\x1b[B', '3', '4', '5', '6', '\r', '1', '?', ' ', '\x14']) {
      terminal.type(key)
      await pause(150)
    }
    const rows = await terminal.waitFor('the very last')
    expect(rows[0]).toMatch(/^ build · /)
    expect(rows.at(-1)).toContain('? keys')
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    const left = terminal.written().replace(AROUND, '').replace(FRAMING, '').replace(COLOURS, '')
    expect(CONTROLS.exec(left)).toBeNull()
    expect(UNSEEN.exec(left)).toBeNull()
    expect(terminal.heard).toEqual([])
  })

  it('is right after 200 changes of the size while an agent writes', async () => {
    const stage = setStage()
    const run = runOnDisk(stage)
    run.start()
    const terminal = openWatch(stage, run.id)
    await terminal.waitFor('build ·')
    let seed = 7
    const below = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % most
    }
    for (let at = 0; at < 200; at++) {
      run.say({
        type: 'text',
        text: `line ${at}: \u6f22\u5b57 \u{1f600} e\u0301 ${'and so on '.repeat(below(30))}`,
      })
      terminal.resize({ columns: 1 + below(200), rows: 1 + below(60) })
      await pause(below(15))
    }
    const size = { columns: 101, rows: 30 }
    terminal.resize({ ...size, columns: 90 })
    run.say({ type: 'text', text: 'the very last' })
    await terminal.waitFor('the very last')
    const before = terminal.written().length
    terminal.resize(size)
    // Some terminals move lines at a resize, so all of them are drawn again, also where the text is the same.
    while (!terminal.written().slice(before).includes('\x1b[2J')) await pause(20)
    run.record({ type: 'finished', result: 'exhausted', proof: null, why: 'all is used' })
    await terminal.waitFor(/the very last[\s\S]*all is used/)
    const fresh = openWatch(stage, run.id, { size })
    const wanted = await fresh.waitFor(/the very last[\s\S]*all is used/)
    expect(await terminal.screen()).toEqual(wanted)
    for (const one of [terminal, fresh]) {
      one.type('q')
      expect(await one.ended).toBe(0)
    }
  })

  it('has the same text on a terminal of any colours, and none of them with NO_COLOR', async () => {
    const stage = setStage()
    const run = runOnDisk(stage, [
      ['#1', 'Make a cart'],
      ['#2', 'Add a till'],
    ])
    run.start()
    run.say({ type: 'text', text: 'Looking.' })
    run.record({ type: 'finished', result: 'exhausted', proof: null, why: 'all is used' })
    const shown: string[] = []
    const terminals: Record<string, string>[] = [
      { NO_COLOR: '1' },
      { TERM: 'xterm' },
      { TERM: 'xterm-256color' },
      { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    ]
    for (const env of terminals) {
      const terminal = openWatch(stage, run.id, { env })
      shown.push((await terminal.waitFor('all is used')).join('\n'))
      terminal.type('q')
      expect(await terminal.ended).toBe(0)
      const coloured = terminal.written().match(/\x1b\[(?!0m)[\d;]*m/g) ?? []
      if ('NO_COLOR' in env) expect(coloured).toEqual([])
      else expect(coloured.length).toBeGreaterThan(3)
      expect(coloured.join('').replace(COLOURS, '')).toBe('')
    }
    expect(new Set(shown).size).toBe(1)
  })
})
