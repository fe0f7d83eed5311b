import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soon } from '../support/killing.ts'
import { setRepository } from './repository.ts'
import { refusal, setStage } from './scene.ts'
import { setStories } from './stories-stage.ts'

/** A folder outside the project with files of the user's. */
function addOutside(root: string): string {
  const outside = join(root, 'outside')
  mkdirSync(join(outside, 'folder'), { recursive: true })
  for (const name of ['notes', 'empty', 'folder/file'])
    writeFileSync(join(outside, name), name === 'empty' ? '' : `mine: ${name}\n`)
  return outside
}

/** Everything in a folder, with the content of each file. */
function contentsOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map(entry => {
      const path = join(entry.parentPath, entry.name)
      if (entry.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`
      return entry.isFile() ? `${path}: ${readFileSync(path, 'utf8')}` : path
    })
    .sort()
}

/** `$s` is the session folder, `$o` the folder outside, `remove` takes a folder away in which ralph may be writing. */
const SESSION: [string, string][] = [
  ['a log that is a link', 'ln -sf $o/notes $s/iterations.log'],
  ['a log that is a dangling link', 'ln -sf $o/new $s/iterations.log'],
  ['a log that is a hard link', 'ln -f $o/notes $s/iterations.log'],
  ['a record of calls that is a hard link', 'ln -f $o/empty $s/agent-calls.jsonl'],
  ['a record of calls that is a link to a folder', 'ln -sfn $o/folder $s/agent-calls.jsonl'],
  ['the folder of this iteration a link', 'mv $s/iter-001 $s/x; ln -s $o $s/iter-001'],
  [
    'the folder of this iteration a link, with a folder named as a log there',
    'mkdir $o/guardrail_001_true.log; touch $o/guardrail_001_true.log/x; remove $s/iter-001; ln -s $o $s/iter-001',
  ],
  ['the folder of the next iteration a link', 'ln -s $o $s/iter-002'],
  ['the folder of the next iteration a dangling link', 'ln -s $o/new $s/iter-002'],
  ['the session a link', 'mv $s ../away; ln -s $o $s'],
  ['the session a dangling link', 'remove $s; ln -s $o/new $s'],
  ['the sessions a link', 'remove .ralph/sessions; ln -s $o .ralph/sessions'],
  ['.ralph a link', 'remove .ralph; ln -s $o .ralph'],
  ['.ralph a dangling link', 'remove .ralph; ln -s $o/new .ralph'],
  ['.ralph/.gitignore a link to an empty file', 'ln -sf $o/empty .ralph/.gitignore'],
  ["the session's .gitignore a link", 'ln -sf $o/empty $s/.gitignore'],
  ['another folder in place of the project', 'cd ..; mv project away; cp -a outside project'],
]

const LIST: [string, string][] = [
  ['its list a link to a copy', 'cp $s/tasks.json $o/notes; ln -sf $o/notes $s/tasks.json'],
  ['its list a hard link', 'cp $s/tasks.json $o/notes; ln -f $o/notes $s/tasks.json'],
  ['its progress a link to a copy', 'cp $s/progress.txt $o/notes; ln -sf $o/notes $s/progress.txt'],
  ['its progress a hard link to a copy', 'cp $s/progress.txt $o/notes; ln -f $o/notes $s/progress.txt'],
  ['its progress a dangling link', 'ln -sf $o/new $s/progress.txt'],
  ['its folder a link to a copy', 'cp -a $s/. $o; remove $s; ln -s $o $s'],
  ['broken, behind a link', 'echo "{" > $o/tasks.json; remove $s; ln -s $o $s'],
]

describe('an agent that makes', () => {
  it.each([
    ...SESSION.map(([what, script]) => [what, script, ['run', '-p', 'x']] as const),
    ...LIST.map(([what, script]) => [what, script, ['build', '--tasks', 'list.md']] as const),
  ])('%s leads ralph to no file outside the project', async (_, script, words) => {
    const stage = setStage({ settings: { baseline: false, guardrails: [{ command: 'true' }] } })
    const outside = addOutside(stage.root)
    stage.write('list.md', '- [ ] a\n- [ ] b\n')
    // Ralph may end the agent as soon as it sees what it did: then it has time to keep a copy, and that is whole or missing.
    const begin = `trap '' TERM; o=${outside}; s=.ralph/sessions/$RALPH_RUN`
    const remove = 'remove() { mv $1 ../removed; rm -rf ../removed || :; }'
    const wait = 'until [ -e $s/iter-001/stream.ndjson ]; do sleep 0.01; done'
    const keep = 'cp -a $o $o/../part; mv $o/../part $o/../made'
    const agent = `${begin}; ${remove}; [ -e ../made ] && echo more && exit; ${wait}; ${script}; ${keep}; echo more`
    await stage.ralph(...words, '-m', '3', '--', 'sh', '-ec', agent)
    const made = join(stage.root, 'made')
    expect(await soon(() => existsSync(made))).toBe(true)
    expect(contentsOf(outside)).toEqual(contentsOf(made).map(line => line.replaceAll(made, outside)))
    // What stands at the path of the project now is not the run's either.
    if (script.includes('outside project'))
      expect(contentsOf(stage.project)).toEqual(
        contentsOf(made).map(line => line.replaceAll(made, stage.project)),
      )
  })
})

describe('a project that has', () => {
  it.each([
    ['.ralph', '.'],
    ['.ralph', 'nowhere'],
    ['.ralph/sessions', '.'],
  ])('a link for %s (to outside/%s) is told so, and nothing is written there', async (name, target) => {
    const stage = setStage()
    const outside = addOutside(stage.root)
    if (name !== '.ralph') mkdirSync(join(stage.project, '.ralph'))
    symlinkSync(join(outside, target), join(stage.project, name))
    const before = contentsOf(outside)
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(
      refusal(/^ralph: error: cannot write to \S+\.ralph: \S+ is a symbolic link; ralph/m),
    )
    expect(contentsOf(outside)).toEqual(before)
  })

  it('a link for what git ignores in this clone has nothing added to it, with a warning', async () => {
    const stage = setStories({ calls: [null] })
    const outside = addOutside(stage.root)
    rmSync(join(stage.project, '.git/info/exclude'), { force: true })
    symlinkSync(join(outside, 'notes'), join(stage.project, '.git/info/exclude'))
    stage.git('config', 'core.excludesFile', '/dev/null')
    const ran = await stage.ralph('stories', '-m', '1')
    expect(ran.stderr).toMatch(/git does not ignore \.ralph-active, because \S+exclude is a symbolic link/)
    expect(readFileSync(join(outside, 'notes'), 'utf8')).toBe('mine: notes\n')
  })
})

describe('stories that an agent leads out of the project', () => {
  const APPROVE = `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'`
  const BROKEN = 'echo "{" > $o/tasks.json'
  it.each<[string, string, string?]>([
    ['the folder a link', 'cp ralph/* $o; mv ralph away; ln -s $o ralph'],
    ['the folder a link, the list changed', 'cp ralph/* $o; mv ralph away; ln -s $o ralph', APPROVE],
    ['the folder a link, the list broken', `mv ralph away; ${BROKEN}; ln -s $o ralph`],
    ['the folder a dangling link', 'mv ralph away; ln -s $o/new ralph'],
    ['the list a hard link', 'cp ralph/tasks.json $o; ln -f $o/tasks.json ralph/tasks.json', APPROVE],
    ['the marker a link', 'ln -sf $o/notes .ralph-active'],
    ['the marker a link to a folder', 'ln -sfn $o/folder .ralph-active'],
  ])('%s: nothing is written there', async (_, script, then = ':') => {
    const stage = setStories({
      verify: ['true'],
      calls: [`o=$PWD/../outside; ${script}; ${then}; cp -a ../outside ../made`, ':'],
    })
    const outside = addOutside(stage.root)
    await stage.ralph('stories', '-m', '2')
    const made = join(stage.root, 'made')
    expect(contentsOf(outside)).toEqual(contentsOf(made).map(line => line.replaceAll(made, outside)))
  })

  it('between two runs of ralph are not resumed there', async () => {
    const stage = setStories({ verify: ['true'], calls: [':'] })
    const outside = addOutside(stage.root)
    await stage.ralph('stories', '-m', '1')
    for (const name of readdirSync(join(stage.project, 'ralph')))
      writeFileSync(join(outside, name), stage.read(`ralph/${name}`))
    rmSync(join(stage.project, 'ralph'), { recursive: true })
    symlinkSync(outside, join(stage.project, 'ralph'))
    const before = contentsOf(outside)
    expect(await stage.ralph('resume', '-m', '3')).toMatchObject(
      refusal('ralph leads out of the project, and did not when the run began'),
    )
    expect(contentsOf(outside)).toEqual(before)
  })
})

describe('ralph archive', () => {
  it.each([
    ['progress.txt', 'to a file outside', 'outside/notes'],
    ['prd.md', 'to a file of the project that git ignores', 'project/.env'],
    ['prd.md', 'that dangles', 'outside/none'],
    ['progress.txt', 'to a folder', 'outside/folder'],
    ['tasks.json', 'to a file outside', 'outside/tasks.json'],
  ])('copies and moves nothing where %s is a link %s', async (name, _, target) => {
    const stage = setStories({})
    const outside = addOutside(stage.root)
    stage.write('.env', 'SECRET=1\n')
    writeFileSync(join(outside, 'tasks.json'), stage.read('ralph/tasks.json'))
    rmSync(join(stage.project, 'ralph', name), { force: true })
    symlinkSync(join(stage.root, target), join(stage.project, 'ralph', name))
    const before = contentsOf(join(stage.project, 'ralph'))
    const ran = await stage.ralph('archive', '--force')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      `ralph: error: ralph/${name} is a symbolic link; put a file in its place, then archive\n`,
    ])
    expect([existsSync(join(stage.project, 'ralph-archive')), stage.log()[0]]).toEqual([
      false,
      expect.not.stringContaining('archive'),
    ])
    expect(contentsOf(join(stage.project, 'ralph'))).toEqual(before)
  })

  it.each([
    ['ralph-archive', 'outside', /cannot write to \S+: \S+ralph-archive is a symbolic link/],
    ['ralph-archive', 'outside/none', /cannot write to \S+: \S+ralph-archive is a symbolic link/],
  ])('goes through no link: %s to %s', async (name, target, words) => {
    const stage = setStories({})
    const outside = addOutside(stage.root)
    symlinkSync(join(stage.root, target), join(stage.project, name))
    const before = [...contentsOf(outside), ...contentsOf(join(stage.project, 'ralph'))]
    expect(await stage.ralph('archive', '--force')).toMatchObject(refusal(words))
    expect([...contentsOf(outside), ...contentsOf(join(stage.project, 'ralph'))]).toEqual(before)
  })

  it('takes nothing out of a folder that is not in the project', async () => {
    const stage = setStories({})
    stage.git('rm', '-rq', '--cached', 'ralph')
    const elsewhere = join(stage.root, 'plans')
    renameSync(join(stage.project, 'ralph'), elsewhere)
    symlinkSync(elsewhere, join(stage.project, 'ralph'))
    const before = contentsOf(elsewhere)
    expect(await stage.ralph('archive', '--force')).toMatchObject(refusal('ralph leads out of the project'))
    expect(contentsOf(elsewhere)).toEqual(before)
  })
})

describe('ralph init stories', () => {
  it.each([
    ['to a file', 'notes'],
    ['to an empty file', 'empty'],
    ['that dangles', 'none'],
    ['to a folder', 'folder'],
  ])('leaves a .gitignore alone that is a link %s', async (_, target) => {
    const stage = setRepository()
    const outside = addOutside(stage.root)
    symlinkSync(join(outside, target), join(stage.project, '.gitignore'))
    const before = contentsOf(outside)
    expect((await stage.ralph('init', 'stories')).code).toBe(0)
    expect(lstatSync(join(stage.project, '.gitignore')).isSymbolicLink()).toBe(true)
    expect(contentsOf(outside)).toEqual(before)
  })

  it.each([
    ['a folder outside', 'folder'],
    ['nothing yet', 'none'],
    ['a file', 'notes'],
  ])('makes nothing behind a link to %s', async (_, target) => {
    const stage = setRepository()
    const outside = addOutside(stage.root)
    symlinkSync(join(outside, target), join(stage.project, 'ralph'))
    const before = contentsOf(outside)
    expect(await stage.ralph('init', 'stories')).toMatchObject(refusal('is a symbolic link'))
    expect(contentsOf(outside)).toEqual(before)
  })

  it('with --force replaces links, and asks for --force where one dangles', async () => {
    const stage = setRepository()
    const outside = addOutside(stage.root)
    mkdirSync(join(stage.project, 'ralph'))
    symlinkSync(join(outside, 'notes'), join(stage.project, 'ralph/prd.md'))
    symlinkSync(join(outside, 'none'), join(stage.project, 'ralph/prompt.md'))
    linkSync(join(outside, 'empty'), join(stage.project, 'ralph/progress.txt'))
    const before = contentsOf(outside)
    expect((await stage.ralph('init', 'stories')).stderr).toContain(
      'ralph/ has prd.md, progress.txt, prompt.md already',
    )
    expect((await stage.ralph('init', 'stories', '--force')).code).toBe(0)
    expect(contentsOf(outside)).toEqual(before)
    expect(lstatSync(join(stage.project, 'ralph/prd.md')).isFile()).toBe(true)
  })
})
