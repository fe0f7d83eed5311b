import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soon } from '../support/killing.ts'
import { setRepository } from './repository.ts'
import { refusal, setStage } from './scene.ts'
import { setStories, story } from './stories-stage.ts'

const TODAY = new Date().toISOString().slice(0, 10)

describe('ralph init stories', () => {
  it('makes all files, with date, name and branch filled in, and says what comes next', async () => {
    const stage = setRepository()
    const ran = await stage.ralph('init', 'stories', '--name', 'Cart & Checkout')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(readdirSync(join(stage.project, 'ralph')).sort()).toEqual([
      'prd.md',
      'progress.txt',
      'prompt.md',
      'tasks.json',
    ])
    expect(JSON.parse(stage.read('ralph/tasks.json'))).toEqual({
      project: 'Cart & Checkout',
      branchName: 'ralph/cart-checkout',
      description: '',
      verifyCommands: [],
      userStories: [
        {
          id: 'US-001',
          title: '',
          description: '',
          acceptanceCriteria: [],
          priority: 1,
          passes: false,
          reviewStatus: null,
          reviewCount: 0,
          reviewFeedback: '',
          notes: '',
          dependsOn: [],
        },
      ],
    })
    expect(stage.read('ralph/progress.txt')).toMatch(
      new RegExp(`^# Ralph Progress Log\nStarted: ${TODAY}\nPRD: Cart & Checkout\n\n## Codebase Patterns\n`),
    )
    expect(stage.read('.gitignore')).toBe('.ralph-active\n')
    expect(ran.stdout).toMatch(
      /Next:[\s\S]*prd\.md[\s\S]*tasks\.json[\s\S]*verifyCommands[\s\S]*ralph stories/,
    )
  })

  it('gives prd.md its ten sections, each with its tiers', async () => {
    const stage = setRepository()
    await stage.ralph('init', 'stories')
    const prd = stage.read('ralph/prd.md')
    const sections = prd.split(/^## /m).slice(1)
    expect(sections.map(text => text.split('\n', 1)[0]!.replace(/^\d+\. /, ''))).toEqual([
      'Summary',
      'Problem Statement',
      'Goals',
      'Non-Goals',
      'Background & Context',
      'Technical Design',
      'Constraints',
      'Edge Cases & Error Handling',
      'Risks & Mitigations',
      'Open Questions',
    ])
    for (const section of sections)
      expect(section).toMatch(/<!--[\s\S]*(Required|Recommended|Optional)[\s\S]*-->/)
    expect(prd + stage.read('ralph/progress.txt')).not.toContain('{{')
  })

  it('never overwrites without --force, and adds to .gitignore once', async () => {
    const stage = setRepository()
    stage.write('.gitignore', 'node_modules')
    mkdirSync(join(stage.project, 'ralph'))
    stage.write('ralph/prd.md', 'mine')
    expect(await stage.ralph('init', 'stories')).toMatchObject(
      refusal(/ralph\/ has prd\.md already.*--force/),
    )
    expect(readdirSync(join(stage.project, 'ralph'))).toEqual(['prd.md'])
    expect(stage.read('.gitignore')).toBe('node_modules')
    expect((await stage.ralph('init', 'stories', '--force')).code).toBe(0)
    expect((await stage.ralph('init', 'stories', '--force')).code).toBe(0)
    expect(stage.read('ralph/prd.md')).not.toBe('mine')
    expect(stage.read('.gitignore')).toBe('node_modules\n.ralph-active\n')
  })

  it('goes where it is sent: --ralph-dir, -C; without a name it takes the folder’s', async () => {
    const stage = setStage({ git: false })
    expect((await stage.ralph('init', 'stories', '-C', stage.project, '--ralph-dir', 'plan')).code).toBe(0)
    expect(JSON.parse(stage.read('plan/tasks.json'))).toMatchObject({
      project: 'project',
      branchName: 'ralph/feature-name',
    })
    expect((await stage.ralph('init', 'stories', '--ralph-dir', '..')).code).toBe(2)
    expect((await stage.ralph('init', 'nothing')).code).toBe(2)
    expect((await stage.ralph('init', '--name', 'x')).code).toBe(2)
  })

  it('leaves a folder that ralph stories asks to be filled in', async () => {
    const stage = setRepository()
    await stage.ralph('init', 'stories')
    expect(await stage.ralph('stories')).toMatchObject(
      refusal('ralph/tasks.json has no stories yet, only the empty one of the template'),
    )
  })
})

describe('ralph archive', () => {
  const finished = async () => {
    const stage = setStories({ verify: ['true'], calls: [null, 'reject'] })
    expect((await stage.ralph('stories')).code).toBe(0)
    return stage
  }

  it('puts a completed loop away with a summary, resets the folder but for the prompt, and commits it', async () => {
    const stage = await finished()
    const ran = await stage.ralph('archive')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const to = `ralph-archive/${TODAY}-shop`
    expect(ran.stdout).toContain(`Archived to ${to}/, and committed`)
    expect(readdirSync(join(stage.project, to)).sort()).toEqual([
      'prd.md',
      'progress.txt',
      'summary.md',
      'tasks.json',
    ])
    const summary = stage.read(`${to}/summary.md`)
    for (const part of [
      'Stories: 1 of 1 completed',
      'Reviews: 2',
      `Worked on: ${TODAY} to ${TODAY}`,
      '1 run, 4 iterations, $1.00',
      '| US-001 | Do US-001 | done | 2 |',
    ])
      expect(summary).toContain(part)
    expect(JSON.parse(stage.read(`${to}/tasks.json`)).userStories[0].passes).toBe(true)
    expect(JSON.parse(stage.read('ralph/tasks.json')).userStories[0]).toMatchObject({
      title: '',
      passes: false,
    })
    expect(stage.read('ralph/prd.md')).toContain('Problem Statement')
    expect(stage.read('ralph/prompt.md')).toContain('mode=$RALPH_MODE')
    expect(stage.log()[0]).toBe('ralph: archive shop')
    expect(stage.git('status', '--porcelain', '--', ':!.ralph')).toBe('')
  })

  it('leaves out of its commit what else you changed in the folder, and what git ignored there', async () => {
    const stage = await finished()
    const prompt = stage.read('ralph/prompt.md')
    stage.write('ralph/prompt.md', `${prompt}mine\n`)
    stage.write('ralph/ideas.md', 'mine\n')
    stage.write('.git/info/exclude', 'ralph/progress.txt\n.ralph\n')
    stage.git('rm', '-q', '--cached', 'ralph/progress.txt')
    stage.git('commit', '-qm', 'ignored')
    const ran = await stage.ralph('archive')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(stage.filesIn('HEAD').filter(path => path.startsWith('ralph/'))).toEqual([
      'ralph/prd.md',
      'ralph/tasks.json',
    ])
    expect(stage.read('ralph/prompt.md')).toBe(`${prompt}mine\n`)
    expect(stage.git('status', '--porcelain').split('\n')).toEqual([
      'M ralph/prompt.md',
      `?? ralph-archive/${TODAY}-shop/progress.txt`,
      '?? ralph/ideas.md',
    ])
  })

  it('of a list behind a link moves what the link leads to, and the link stays', async () => {
    const stage = await finished()
    renameSync(join(stage.project, 'ralph/tasks.json'), join(stage.project, 'list.json'))
    symlinkSync('../list.json', join(stage.project, 'ralph/tasks.json'))
    expect((await stage.ralph('archive')).code).toBe(0)
    const archived = stage.read(`ralph-archive/${TODAY}-shop/tasks.json`)
    expect(JSON.parse(archived).userStories[0].passes).toBe(true)
    expect(JSON.parse(stage.read('list.json')).userStories[0].passes).toBe(false)
    expect(readlinkSync(join(stage.project, 'ralph/tasks.json'))).toBe('../list.json')
  })

  it('takes a label, and never the place of another archive', async () => {
    const stage = await finished()
    const file = stage.file()
    expect((await stage.ralph('archive', '--label', 'v2')).code).toBe(0)
    stage.put(file)
    expect((await stage.ralph('archive', '--label', 'v2')).code).toBe(0)
    expect(readdirSync(join(stage.project, 'ralph-archive')).sort()).toEqual([`${TODAY}-v2`, `${TODAY}-v2-2`])
  })

  it('refuses an unfinished loop without --force', async () => {
    const stage = setStories({ stories: [story('A'), story('B')] })
    expect(await stage.ralph('archive')).toMatchObject(refusal(/A, B not completed.*--force/))
    expect(existsSync(join(stage.project, 'ralph-archive'))).toBe(false)
    expect((await stage.ralph('archive', '--force')).code).toBe(0)
    expect(stage.read(`ralph-archive/${TODAY}-shop/summary.md`)).toContain('Stories: 0 of 2 completed')
  })

  it('refuses a running loop, --force or not', async () => {
    const stage = setStories({ calls: ['sleep 60'], settings: { killGrace: 0.2 } })
    const ralph = stage.start('stories')
    expect(await soon(() => existsSync(join(stage.root, 'seen', '1.about')))).toBe(true)
    expect(await stage.ralph('archive', '--force')).toMatchObject(
      refusal(/is at work on these stories.*ralph cancel/),
    )
    ralph.kill('SIGHUP')
    await ralph.ended
  })

  it('without a repository, or where nothing can be committed, says so', async () => {
    const stage = await finished()
    const file = stage.file()
    stage.git('config', '--unset', 'user.name')
    stage.git('config', '--unset', 'user.email')
    stage.git('config', 'user.useConfigOnly', 'true')
    const ran = await stage.ralph('archive')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('warning: not committed: ')])
    rmSync(join(stage.project, '.git'), { recursive: true })
    stage.put(file)
    const bare = await stage.ralph('archive', '--label', 'again')
    expect([bare.code, bare.stderr]).toEqual([0, ''])
    expect(bare.stdout).not.toContain('committed')
  })
})
