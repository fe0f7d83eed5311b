import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { Control } from '../../src/core/ports.ts'
import { receiveControls, sendControl } from '../../src/store/control.ts'
import { scratch } from '../support/scratch.ts'

const ME = { pid: 2, startTime: '2', host: 'here' }
const EARLIER = { pid: 1, startTime: '1', host: 'here' }

/** What a process that hosts this run finds to do. */
function asked(dir: string, past: RunEvent[] = [], onRefused: (control: Control) => void = () => {}) {
  const controls = receiveControls(dir, past, ME, onRefused)
  controls.close()
  return controls
}

describe('a request', () => {
  it('stays until it is on record, so that a crash in between does not lose it', () => {
    const dir = scratch()
    const controls = asked(dir)
    sendControl(dir, { type: 'tell', text: 'first' }, 1)
    sendControl(dir, { type: 'cancel' }, 2)
    const [first] = controls.pending()
    expect(asked(dir).pending()).toEqual(controls.pending())
    controls.done(first!.id)
    expect(asked(dir).pending()).toMatchObject([{ control: { type: 'cancel' } }])
  })

  it('that is on record already is not obeyed again after a crash', () => {
    const dir = scratch()
    sendControl(dir, { type: 'tell', text: 'once' }, 1)
    const [{ id: request } = { id: '' }] = asked(dir).pending()
    expect(asked(dir, [{ type: 'instructed', at: 1, text: 'once', request }]).pending()).toEqual([])
    expect(asked(dir).pending()).toEqual([])
  })

  it('that steers an earlier process of the run is refused, and somebody hears of it', () => {
    const dir = scratch()
    const refused: string[] = []
    for (const type of ['pause', 'cancel', 'retry'] as const) sendControl(dir, { type }, 1, { to: EARLIER })
    sendControl(dir, { type: 'tell', text: 'stays' }, 2, { to: EARLIER })
    sendControl(dir, { type: 'pause' }, 3, { to: ME })
    const controls = asked(dir, [], ({ type }) => refused.push(type))
    const types = () => controls.pending().map(({ control }) => control.type)
    expect(types()).toEqual(['tell', 'pause'])
    expect(refused.sort()).toEqual(['cancel', 'pause', 'retry'])
    expect([types(), refused.length]).toEqual([['tell', 'pause'], 3])
  })

  it('that makes no sense asks for nothing, and is put away', () => {
    const dir = scratch()
    const controls = asked(dir)
    mkdirSync(join(dir, 'control'), { recursive: true })
    writeFileSync(join(dir, 'control', '1-ab.json'), '{"type":"expl')
    writeFileSync(join(dir, 'control', '2-ab.json'), '{"type":"explode"}')
    writeFileSync(join(dir, 'control', '3-ab.json'), '{"type":"todo"}')
    expect([controls.pending(), controls.pending()]).toEqual([[], []])
  })

  it('says who sent it, unless that cannot be read', () => {
    const dir = scratch()
    const from = { pid: 7, terminal: 'pts/3', within: ['a run'] }
    sendControl(dir, { type: 'cancel' }, 1, { from })
    const wrong = [{ pid: 'x', terminal: null }, { pid: 7 }, { pid: 7, terminal: null, within: [1] }, 'me']
    for (const [at, from] of wrong.entries())
      writeFileSync(join(dir, 'control', `${at + 2}-ab.json`), JSON.stringify({ type: 'cancel', from }))
    const [first, ...others] = asked(dir).pending()
    expect(first).toMatchObject({ control: { type: 'cancel' }, from })
    expect(others.map(({ control, from }) => [control, from])).toEqual(
      wrong.map(() => [{ type: 'cancel' }, undefined]),
    )
  })

  it('about the list is handed on as it is: only the workflow can read it', () => {
    const dir = scratch()
    sendControl(dir, { type: 'todo', request: { action: 'explode' } }, 1)
    expect(asked(dir).pending()).toMatchObject([
      { control: { type: 'todo', request: { action: 'explode' } } },
    ])
  })

  it('that is a folder asks for nothing either, and is put away with all that is in it', () => {
    const dir = scratch()
    const folder = join(dir, 'control', '1-ab.json')
    mkdirSync(join(folder, 'deep'), { recursive: true })
    const controls = asked(dir)
    expect(controls.pending()).toEqual([])
    expect(existsSync(folder)).toBe(false)
  })
})

it('is still heard after the folder of requests was removed, or removed and made again', async () => {
  const dir = scratch()
  const controls = receiveControls(dir, [], ME, () => {})
  onTestFinished(controls.close)
  const heard = () =>
    new Promise<string[]>(resolve => {
      const cancel = controls.onChange(() => {
        const texts = controls.pending().map(({ control }) => ('text' in control ? control.text : ''))
        if (texts.length === 0) return
        cancel()
        resolve(texts)
      })
    })
  const gone = new Promise<void>(resolve => void controls.onChange(resolve))
  rmSync(join(dir, 'control'), { recursive: true })
  await gone
  const first = heard()
  sendControl(dir, { type: 'tell', text: 'made anew' }, 1)
  expect(await first).toEqual(['made anew'])

  rmSync(join(dir, 'control'), { recursive: true })
  const second = heard()
  sendControl(dir, { type: 'tell', text: 'made by another' }, 2)
  expect(await second).toEqual(['made by another'])
  const third = heard()
  sendControl(dir, { type: 'tell', text: 'and again' }, 3)
  expect(await third).toEqual(['made by another', 'and again'])
})
