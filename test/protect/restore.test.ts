import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contents, layProject, noteOf } from './scene.ts'

/** What a note says was kept. */
const keptIn = (note: string | null) => /is kept in (\S+)\.$/.exec(note ?? '')?.[1] ?? 'nowhere'

describe('a restore', () => {
  it.each<[string, string]>([
    ['the project is a link', 'cd ..; mv project real; ln -s elsewhere project'],
    [
      'the project is another folder',
      'cd ..; mv project real; mv elsewhere project; ln -s project elsewhere',
    ],
    ['.git is a link', 'mv .git real; ln -s ../elsewhere/.git .git'],
    [
      '.git is another folder',
      'mv .git real; mv ../elsewhere/.git .git; ln -s ../project/.git ../elsewhere/.git',
    ],
    ['a protected folder is a link', 'mv test real; ln -s ../elsewhere/test test'],
    ['a folder in it is a link', 'mv test/deep real; ln -s ../../elsewhere/test/deep test/deep'],
    ['a protected file is a link', 'rm test/a.js; ln -s ../../elsewhere/test/a.js test/a.js'],
    ['the folder of hooks is a link', 'rm -rf .git/hooks; ln -s ../../elsewhere/.git/hooks .git/hooks'],
    ["git's configuration is a link", 'rm .git/config; ln -s ../../elsewhere/.git/config .git/config'],
    [
      '.git/info is a link',
      'rm -rf .git/info; ln -s ../../elsewhere/.git/info .git/info; echo "* x" > .git/info/attributes; rm ../elsewhere/.git/info/attributes',
    ],
    ['the folder of the settings is a link', 'rm -rf .ralph; ln -s ../elsewhere/.ralph .ralph'],
    ['a link to a link is in the way', 'rm -rf test; ln -s ../elsewhere/test ../way; ln -s ../way test'],
  ])('touches nothing elsewhere, and is red, if %s', async (_, script) => {
    const { elsewhere, sh, begin } = layProject()
    const before = contents(elsewhere)
    const protection = await begin()
    sh(script)
    expect(await protection.restore()).not.toBeNull()
    expect({ ...contents(elsewhere), '.git': 'folder' }).toEqual(before)
    expect(await noteOf(protection)).toMatch(/^Protected files /)
  })

  it.each(['project', 'project/.git'])(
    'cannot mend what replaced %s, so the run does not go on, also not in another process',
    async name => {
      const { base, elsewhere, open, begin } = layProject()
      const protection = await begin()
      const place = join(base, name)
      renameSync(place, join(base, 'real'))
      symlinkSync(name === 'project' ? elsewhere : join(elsewhere, '.git'), place)
      const crashed = await open()
      for (const each of [protection, crashed]) {
        await each.restore()
        await expect(each.take()).rejects.toThrow(/^protected files cannot be put back: /)
      }
      expect(contents(elsewhere)['.git/hooks/pre-push']).toContain('# elsewhere')
      rmSync(place)
      renameSync(join(base, 'real'), place)
      await protection.take()
      expect(await noteOf(protection)).toBeNull()
    },
  )

  it.each<[string, string, string[]]>([
    ['changed', 'echo mine > test/a.js', ['test/a.js']],
    [
      'replaced by a folder',
      'rm test/a.js; mkdir -p test/a.js/in; echo mine > test/a.js/in/x',
      ['test/a.js/in/x'],
    ],
    ['replaced by a link', 'rm test/a.js; ln -s mine test/a.js', ['test/a.js']],
    [
      'added',
      'echo mine > test/new.js; mkdir test/more; echo mine > test/more/x',
      ['test/more/x', 'test/new.js'],
    ],
    ['in the way of a folder', 'rm -r test; echo mine > test', ['test']],
    ['a hook', 'echo mine > .git/hooks/post-checkout', ['.git/hooks/post-checkout']],
    ['git configuration', 'git config alias.x mine', ['.git/config']],
  ])('keeps what was %s: it may be a person’s work', async (_, script, kept) => {
    const { project, runDir, sh, begin } = layProject()
    const before = contents(project)
    const protection = await begin()
    sh(script)
    await protection.restore()
    const after = contents(project)
    for (const path of Object.keys(before)) expect([path, after[path]]).toEqual([path, before[path]])
    const folder = keptIn(await noteOf(protection))
    expect(folder).toBe(join(runDir, 'put-back', '1'))
    const found = contents(folder)
    expect(
      Object.keys(found)
        .filter(path => found[path] !== 'folder')
        .sort(),
    ).toEqual(kept)
    for (const path of kept) expect(found[path]).toContain('mine')
  })

  it('keeps every version, each in a folder of its own', async () => {
    const { runDir, write, begin } = layProject()
    const protection = await begin()
    for (const text of ['one', 'two']) {
      write('project/test/a.js', text)
      await protection.restore()
    }
    expect(readdirSync(join(runDir, 'put-back'))).toEqual(['1', '2'])
    expect(readFileSync(join(runDir, 'put-back/2/test/a.js'), 'utf8')).toBe('two')
    expect(await noteOf(protection)).toContain(
      `${join(runDir, 'put-back/1')}, ${join(runDir, 'put-back/2')}.`,
    )
  })

  it('removes what is neither a file nor a link, and does not wait for a pipe', async () => {
    const { project, sh, begin } = layProject()
    const protection = await begin()
    sh('mkfifo test/pipe .git/hooks/pipe; rm test/a.js .git/config; mkfifo test/a.js .git/config')
    await protection.restore()
    expect(contents(project)['test/a.js']).toBe('640 project: strong\n')
    expect(readFileSync(join(project, '.git/config'), 'utf8')).toContain('ssh -i project')
    for (const path of ['test/pipe', '.git/hooks/pipe']) expect(existsSync(join(project, path))).toBe(false)
  })
})

describe('a repository that is removed', () => {
  it('is reported and not put back; another one in its place stops the run', async () => {
    const { project, sh, begin } = layProject()
    const protection = await begin()
    rmSync(join(project, '.git'), { recursive: true })
    await protection.restore()
    expect(await noteOf(protection)).toBe('Protected folders were removed, and are not put back: .git.')
    expect(existsSync(join(project, '.git'))).toBe(false)
    await protection.take()
    expect(await noteOf(protection)).toBeNull()
    sh('git init -q; git config core.fsmonitor ../evil')
    await protection.restore()
    expect(await noteOf(protection)).toContain('.git (it is no longer the same folder)')
    await expect(protection.take()).rejects.toThrow(/^protected files cannot be put back/)
  })
})

describe('the limit of protected files', () => {
  it('is no way out for an agent: whatever it adds is removed, and red', async () => {
    const { project, begin } = layProject()
    const protection = await begin()
    mkdirSync(join(project, 'test/many'))
    for (let n = 0; n < 5010; n++) writeFileSync(join(project, 'test/many', `${n}`), '')
    writeFileSync(join(project, 'test/a.js'), 'weak')
    await protection.restore()
    expect(readdirSync(join(project, 'test/many'))).toEqual([])
    expect(readFileSync(join(project, 'test/a.js'), 'utf8')).toBe('project: strong\n')
    expect(await noteOf(protection)).toMatch(/put back: .* and 4961 more\. /)
  })

  it('stops the run if it is passed between two iterations', async () => {
    const { project, begin } = layProject()
    const protection = await begin()
    mkdirSync(join(project, 'test/many'))
    for (let n = 0; n < 5000; n++) writeFileSync(join(project, 'test/many', `${n}`), '')
    await expect(protection.take()).rejects.toThrow(/^500\d files are protected, and at most 5000 can be/)
    rmSync(join(project, 'test/many'), { recursive: true })
    await protection.take()
  })
})
