import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Call, setStories, story } from './stories-stage.ts'

/** An agent that only works where it finds no settings of claude's. */
const needNone: Call = 'test ! -e .claude/settings.json; test ! -e .claude/settings.local.json; honest'

describe('an implementation that writes claude’s settings, and could act in the review by them,', () => {
  it.each<[string, Call]>([
    ['new', 'mkdir .claude; echo "{}" > .claude/settings.json; submit'],
    ['local', 'mkdir .claude; echo "{}" > .claude/settings.local.json; submit'],
    ['behind a link', 'mkdir x; echo "{}" > x/settings.json; ln -s x .claude; submit'],
  ])('%s, finds them taken away and its story not submitted', async (_, write) => {
    const stage = setStories({ calls: [write], always: needNone })
    await stage.ralph('stories', '-m', '2')
    expect(stage.moves()).toEqual(['implement US-001 fail', 'implement US-001 pass'])
    expect(stage.seen()[1]!.prompt).toMatch(/Protected files were changed and have been put back: \.claude/)
  })

  it('by its code, while that is checked, finds them taken away, too', async () => {
    const stage = setStories({
      verify: ['sh check'],
      calls: [`echo 'mkdir -p .claude; echo {} > .claude/settings.local.json' > check; submit`],
      always: needNone,
    })
    stage.write('check', 'true\n')
    stage.git('add', '-A')
    stage.git('commit', '-qm', 'check')
    await stage.ralph('stories', '-m', '2')
    expect(stage.moves()).toEqual(['implement US-001 fail', 'implement US-001 fail'])
    expect(stage.seen()[1]!.prompt).toContain(
      'Protected files were changed while "sh check" ran, and have been put back: .claude/settings.local.json',
    )
  })

  it('by its code, while that is checked at the beginning of another run, finds them taken away, too', async () => {
    const stage = setStories({
      verify: ['mkdir -p .claude; echo {} > .claude/settings.json'],
      stories: [story('US-001', { reviewStatus: 'needs_review', notes: 'x' })],
      always: needNone,
    })
    await stage.ralph('stories', '-m', '1')
    expect(stage.moves()).toEqual(['review US-001 reject'])
  })

  it('finds those of the project as they were, also where they lie behind a link', async () => {
    const stage = setStories({
      calls: ['echo hooks > .claude/settings.json; submit'],
    })
    mkdirSync(join(stage.project, 'shared'))
    stage.write('shared/settings.json', '{}')
    symlinkSync('shared', join(stage.project, '.claude'))
    stage.git('add', '-A')
    stage.git('commit', '-qm', 'settings')
    await stage.ralph('stories', '-m', '1')
    expect(stage.read('.claude/settings.json')).toBe('{}')
    expect(stage.moves()).toEqual(['implement US-001 fail'])
  })
})
