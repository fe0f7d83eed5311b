import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { item, plans, setBuild, statuses } from './build-scene.ts'

type Script = Parameters<typeof setBuild>[0]

/** A build on a terminal, with an editor that does what a line of shell says to the file `$1`. */
async function atTerminal(script: Script & { editor?: string }, ...args: string[]) {
  const stage = setBuild(script)
  const editor = join(stage.bin, 'editor')
  writeFileSync(editor, `#!/bin/sh\n${script?.editor ?? 'true'}\n`)
  chmodSync(editor, 0o755)
  const open = (...words: string[]) =>
    openTerminal([process.execPath, RALPH, ...words], {
      cwd: stage.project,
      env: { ...stage.env, EDITOR: 'editor --wait' },
    })
  return { stage, open, terminal: await open('build', 'rough goal', ...args) }
}

const WHICH = 'Which version should ralph use?'
const WORK = 'Work on this list?'
const choice = (stage: ReturnType<typeof setBuild>) =>
  stage
    .session('agent-calls.jsonl')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .find(call => 'chosen' in call)

describe.skipIf(!hasTmux)('a refined goal is shown beside the original', () => {
  it('and used when it is chosen', async () => {
    const { stage, terminal } = await atTerminal({}, '--yes')
    const screen = await terminal.waitFor(WHICH)
    expect(screen).toMatch(/Your words:\n\nrough goal\n\nRefined:\n\nThe refined goal\n/)
    expect(screen).toContain('Use refined prompt (Recommended)')
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.promptOf('plan')).toContain('<specification>\nThe refined goal\n')
    expect(stage.names()).toEqual(['refine', 'plan', '#1', '#2'])
  })

  it('in at most 120 characters each', async () => {
    const { terminal } = await atTerminal({
      refine: [[['claude', `<refined>${'long '.repeat(40)}end</refined>`]]],
    })
    const screen = await terminal.waitFor(WHICH)
    expect(screen.match(/Use refined prompt \(Recommended\) \((.*)\)/)?.[1]).toBe(
      `${'long '.repeat(24).trimEnd()}…`,
    )
    await terminal.press('C-c')
    expect((await terminal.ended()).code).toBe(130)
  })

  it('and left aside when the original is', async () => {
    const { stage, terminal } = await atTerminal({}, '--yes')
    await terminal.waitFor(WHICH)
    await terminal.press('Down', 'Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.promptOf('plan')).toContain('<specification>\nrough goal\n')
    expect(choice(stage)).toMatchObject({
      original: 'rough goal',
      refined: 'The refined goal',
      chosen: 'rough goal',
    })
  })

  it('and can be edited', async () => {
    const { stage, terminal } = await atTerminal({ editor: 'echo "My own words" > "$2"' }, '--yes')
    await terminal.waitFor(WHICH)
    await terminal.press('Down', 'Down', 'Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.promptOf('plan')).toContain('<specification>\nMy own words\n')
    expect(choice(stage)).toMatchObject({ chosen: 'My own words' })
  })
})

describe.skipIf(!hasTmux)('an editor that fails at the refined goal', () => {
  it('is told of, and the question comes again', async () => {
    const { stage, terminal } = await atTerminal({ editor: 'exit 3' }, '--yes')
    await terminal.waitFor(WHICH)
    await terminal.press('Down', 'Down', 'Enter')
    await terminal.waitFor(/The editor editor --wait failed \(exit 3\); choose again[\s\S]*Which version/)
    await terminal.press('Down', 'Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(choice(stage)).toMatchObject({ chosen: 'rough goal' })
  })
})

describe.skipIf(!hasTmux)('the plan is shown', () => {
  const off = ['--refine', 'off']

  it('and worked off when it is accepted', async () => {
    const { stage, terminal } = await atTerminal({}, ...off)
    const screen = await terminal.waitFor(WORK)
    expect(screen).toContain('[ ] #2 Make part 2 › blocked by #1')
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#2'])
  })

  it('and can be edited', async () => {
    const editor = `sed -i 's/Make part 1/Make it blue/' "$2"`
    const { stage, terminal } = await atTerminal({ editor }, ...off)
    await terminal.waitFor(WORK)
    await terminal.press('Down', 'Enter')
    await terminal.waitFor('[ ] #1 Make it blue')
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.promptOf('#1')).toContain('Make it blue (#1)')
  })

  it('and an edit that cannot be used is named, and can be mended', async () => {
    const editor = `sed -i 's/"#2"/"#1"/; s/part 1/part one/' "$2"`
    const { stage, terminal } = await atTerminal({ editor }, ...off)
    await terminal.waitFor(WORK)
    await terminal.press('Down', 'Enter')
    await terminal.waitFor(
      /could not be used; Edit opens it again as you left it:\n- task #1: its id is used more than once[\s\S]*Work on/,
    )
    // The second "#1" is the one of the slip; what else was written is still there.
    writeFileSync(join(stage.bin, 'editor'), `#!/bin/sh\nsed -i '5,$s/"id": "#1"/"id": "#2"/' "$2"\n`)
    await terminal.press('Down', 'Enter')
    await terminal.waitFor('[ ] #1 Make part one')
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
  })

  it('and an editor that fails, or leaves nothing, is told of, and the list stands', async () => {
    const { stage, terminal } = await atTerminal({ editor: 'test -s "$2" && : > "$2"; exit 3' }, ...off)
    await terminal.waitFor(WORK)
    await terminal.press('Down', 'Enter')
    await terminal.waitFor(/The editor editor --wait failed \(exit 3\); the list is as it was[\s\S]*Work on/)
    writeFileSync(join(stage.bin, 'editor'), '#!/bin/sh\n: > "$2"\n')
    await terminal.press('Down', 'Enter')
    await terminal.waitFor(/The file came back empty; the list is as it was[\s\S]*Work on this list/)
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
  })

  it('and asked for again in words, which costs the planner no try', async () => {
    const { stage, terminal } = await atTerminal(
      { plan: [plans(item(1)), [['claude', 'no list']], plans(item(1), item(2))] },
      ...off,
    )
    await terminal.waitFor(WORK)
    await terminal.press('Down', 'Down', 'Enter')
    await terminal.waitFor('What should be different?')
    await terminal.type('Two parts, please', 'Enter')
    await terminal.waitFor(/#2 Make part 2[\s\S]*Work on this list\?/)
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.promptOf('plan', 2)).toContain('the latest last:\n- Two parts, please\n')
    expect(stage.promptOf('plan', 2)).not.toContain('could not be used')
    expect(stage.promptOf('plan', 3), 'the repair').toContain('the latest last:\n- Two parts, please\n')
    expect(stage.names()).toEqual(['plan', 'plan', 'plan', '#1', '#2'])
    const progress = stage.session('progress.txt')
    expect(progress).toMatch(/## Another plan wanted \(.*\)\nTwo parts, please\n/)
    expect(progress).not.toContain('Error: plan: The user')
  })

  it('and asked for again and again: all wishes are told, and the list as it was edited', async () => {
    const editor = `sed -i 's/Make part 1/Make it blue/' "$2"`
    const again = plans(item(1))
    const { stage, terminal } = await atTerminal({ editor, plan: [again, again, again, again] }, ...off)
    for (const wish of ['Smaller', 'Blue', 'Tested']) {
      await terminal.waitFor(/Make part 1[\s\S]*Work on this list\?[\s\S]*Accept/)
      if (wish === 'Blue') {
        await terminal.press('Down', 'Enter')
        await terminal.waitFor(/Make it blue[\s\S]*Work on this list\?/)
      }
      await terminal.press('Down', 'Down', 'Enter')
      await terminal.waitFor(/What should be different\?\s*$/m)
      await terminal.type(wish, 'Enter')
      await terminal.waitFor(new RegExp(`another plan: ${wish}[\\s\\S]*Work on this list`))
    }
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.promptOf('plan', 3)).toContain('the latest last:\n- Smaller\n- Blue\n')
    expect(stage.promptOf('plan', 3)).toContain('"content": "Make it blue"')
    expect(stage.promptOf('plan', 4)).toContain('the latest last:\n- Smaller\n- Blue\n- Tested\n')
  }, 60_000)
})

describe.skipIf(!hasTmux)('Ctrl+C at a question', () => {
  it.each([
    ['the refined prompt', WHICH, [], ['refine'], ['refine', 'plan', '#1', '#2']],
    ['the plan', WORK, ['--refine', 'off'], ['plan'], ['plan', '#1', '#2']],
  ])(
    'about %s ends with 130, and resume asks again without paying again',
    async (_, asks, args, before, after) => {
      const { stage, terminal, open } = await atTerminal({}, ...args)
      await terminal.waitFor(asks)
      await terminal.press('C-c')
      const { code, screen } = await terminal.ended()
      expect([code, stage.names()]).toEqual([130, before])
      expect(screen).toContain('to go on: ralph resume')

      const again = await open('resume')
      await again.waitFor(asks)
      expect(stage.names()).toEqual(before)
      await again.press('Enter')
      if (asks === WHICH) {
        await again.waitFor(WORK)
        await again.press('Enter')
      }
      expect((await again.ended()).code).toBe(0)
      expect(stage.names()).toEqual(after)
    },
  )
})

describe.skipIf(!hasTmux)('a build that was to ask about its goal, resumed where nobody is', () => {
  const UNASKED = 'there is no terminal to ask about a refined goal, so ralph plans the goal as it is'

  it('says once that the refined goal is not used', async () => {
    const { stage, terminal } = await atTerminal({})
    await terminal.waitFor(WHICH)
    await terminal.press('C-c')
    await terminal.ended()
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.warnings().filter(note => note === UNASKED)).toHaveLength(1)
    expect(stage.promptOf('plan')).toContain('<specification>\nrough goal\n')
    expect(stage.session('progress.txt')).not.toContain('Goal, refined')
  })

  it('does not refine at all where that was not done yet', async () => {
    const { stage, terminal } = await atTerminal({
      refine: [
        [
          ['file', 'begun', ''],
          ['sleep', 60_000],
        ],
      ],
    })
    await soon(() => existsSync(join(stage.project, 'begun')))
    await terminal.press('C-c')
    await new Promise(resolve => setTimeout(resolve, 300))
    await terminal.press('C-c')
    await terminal.ended()
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.names()).toEqual(['refine', 'plan', '#1', '#2'])
    expect(stage.warnings().filter(note => note === UNASKED)).toHaveLength(1)
  })
})

describe.skipIf(!hasTmux)('while a question is open', () => {
  it('nothing is drawn over it, and nothing is waiting under it', async () => {
    const settings = { streamAgentOutput: false, guardrails: [{ command: 'true' }] }
    const { terminal } = await atTerminal(
      { settings, plan: [[['print', JSON.stringify([item(1)])]]] },
      '--refine',
      'off',
    )
    const before = await terminal.waitFor(WORK)
    await new Promise(resolve => setTimeout(resolve, 1500))
    expect(await terminal.waitFor(WORK)).toBe(before)
    expect(before).not.toMatch(/… plan|iteration 1 · claude/)
    await terminal.press('C-c')
    expect((await terminal.ended()).code).toBe(130)
  })
})
