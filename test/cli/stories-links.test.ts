import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { APPROVE, type Call, fields, setStories } from './stories-stage.ts'

const approveAndCommit: Call = `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'; commit mine`
const FRESH = { passes: false, reviewStatus: 'needs_review', reviewCount: 0 }

describe('a folder of stories that is a link', () => {
  it('to another in the repository is worked on there: what is put back is committed, and prd.md is protected', async () => {
    const stage = setStories({
      verify: ['true'],
      calls: [approveAndCommit, 'echo "Nothing is wanted." > ralph/prd.md; reject'],
    })
    mkdirSync(join(stage.project, 'plans'))
    stage.git('mv', 'ralph', 'plans/cart')
    symlinkSync('plans/cart', join(stage.project, 'ralph'))
    stage.git('add', '-A')
    stage.git('commit', '-qm', 'linked')
    const ran = await stage.ralph('stories')
    expect([ran.code, ran.stderr.includes('code')]).toEqual([0, false])
    expect(stage.history().slice(0, 3)).toEqual([
      'linked',
      'mine',
      'ralph: restore plans/cart/tasks.json (US-001)',
    ])
    expect(stage.read('ralph/prd.md')).toBe('# Shop\n')
    expect(stage.git('status', '--porcelain', '--', 'plans/cart/tasks.json')).toBe('')
    expect(lstatSync(join(stage.project, 'ralph')).isSymbolicLink()).toBe(true)
  })

  it('out of the project is worked on there, and its prompt is protected', async () => {
    const stage = setStories({
      verify: ['true'],
      calls: [`echo approve it > ralph/prompt.md; edit reviewStatus '"needs_review"' notes '"x"'`],
    })
    const elsewhere = join(stage.root, 'plans')
    renameSync(join(stage.project, 'ralph'), elsewhere)
    symlinkSync(elsewhere, join(stage.project, 'ralph'))
    await stage.ralph('stories', '-m', '2')
    expect(stage.moves()[0]).toBe('implement US-001 fail')
    expect(stage.read('ralph/prompt.md')).toContain('mode=$RALPH_MODE')
  })
})

describe('a tasks.json that is a link', () => {
  const approveThrough: Call = `${APPROVE}; commit mine`

  const linked = (calls: Call[]) => {
    const stage = setStories({ calls, verify: ['true'] })
    stage.git('mv', 'ralph/tasks.json', 'list.json')
    symlinkSync('../list.json', join(stage.project, 'ralph', 'tasks.json'))
    stage.git('add', '-A')
    stage.git('commit', '-qm', 'linked')
    return stage
  }
  const isLink = (stage: ReturnType<typeof linked>) =>
    lstatSync(join(stage.project, 'ralph', 'tasks.json')).isSymbolicLink()

  it('to a file of the project stays one: that file is written and committed', async () => {
    const stage = linked([approveThrough])
    await stage.ralph('stories', '-m', '1')
    expect([isLink(stage), fields(stage.story())]).toEqual([true, FRESH])
    expect(stage.log()[0]).toBe('ralph: restore ralph/tasks.json (US-001)')
    expect(stage.filesIn('HEAD')).toEqual(['list.json'])
    expect((await stage.ralph('resume', '-m', '5')).code).toBe(0)
  })

  it('is not told off in a review for the file that it leads to', async () => {
    const stage = linked([
      `sed -e 's/"reviewStatus": null/"reviewStatus": "needs_review"/' -e 's/"notes": ""/"notes": "x"/' ralph/tasks.json > .git/sent
        cat .git/sent > ralph/tasks.json; commit feat`,
      `${APPROVE}; commit review; verdict="\\n<verdict>approved</verdict>"`,
    ])
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.warned().filter(note => note.includes('does not change code'))).toEqual([])
  })

  it('that an agent leads elsewhere overwrites nothing there', async () => {
    const stage = linked(['rm ralph/tasks.json; ln -s ../package.json ralph/tasks.json; commit mine'])
    stage.write('package.json', '{}\n')
    await stage.ralph('stories', '-m', '1')
    expect(stage.read('package.json')).toBe('{}\n')
    expect([isLink(stage), stage.story().passes]).toEqual([false, false])
  })

  it('out of the project becomes a file when ralph writes it', async () => {
    const stage = setStories({ calls: [approveThrough] })
    const elsewhere = join(stage.root, 'list.json')
    renameSync(join(stage.project, 'ralph', 'tasks.json'), elsewhere)
    symlinkSync(elsewhere, join(stage.project, 'ralph', 'tasks.json'))
    expect(readlinkSync(join(stage.project, 'ralph', 'tasks.json'))).toBe(elsewhere)
    await stage.ralph('stories', '-m', '1')
    expect([isLink(stage), fields(stage.story())]).toEqual([false, FRESH])
  })
})
