import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { saying } from '../support/agent-script.ts'
import { hasTmux } from '../support/terminal.ts'
import { setWorkers } from './scene.ts'

const SPAWN = ['spawn', '--name', 'cart', '-f', 'PROMPT.md', '-m', '1', '--worktree']

/** A repository with one commit, and an agent that commits a file in two commits. */
function setRepository(settings?: unknown) {
  const scene = setWorkers({
    calls: [[['file', 'cart.txt', 'one\n'], saying('ok')]],
    ...(settings !== undefined && { settings }),
  })
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@example.com', ...words], {
      cwd: scene.project,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  scene.write('.gitignore', '.env\n.ralph\n')
  scene.write('.env', 'SECRET=1\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  const path = `${scene.project}-worktrees/cart`
  const inWorktree = (...words: string[]) => git('-C', path, ...words)
  return { ...scene, git, path, inWorktree }
}

describe.skipIf(!hasTmux)('a worker with --worktree', () => {
  it('works on a branch of its own beside the repository, and its session stays in the root', async () => {
    const scene = setRepository({
      worktree: { setup: 'echo "$RALPH_ROOT $RALPH_WORKTREE" > ../setup.txt', copy: ['.env', 'missing'] },
    })
    scene.write('mine.txt', 'not committed')
    const ran = await scene.ralph(...SPAWN)
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain(`worktree: ${scene.path} on branch cart\n`)
    expect((await scene.ended('cart')).code).toBe(0)
    expect(readFileSync(join(scene.path, 'cart.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(scene.project, 'cart.txt'))).toBe(false)
    expect(readFileSync(join(scene.path, '.env'), 'utf8')).toBe('SECRET=1\n')
    expect(readFileSync(`${scene.project}-worktrees/setup.txt`, 'utf8')).toBe(
      `${scene.project} ${scene.path}\n`,
    )
    expect(existsSync(join(scene.path, '.ralph', 'sessions'))).toBe(false)
    expect(readdirSync(join(scene.project, '.ralph', 'sessions'))).toEqual([scene.record('cart').run])
    expect(scene.inWorktree('branch', '--show-current').trim()).toBe('cart')
    expect(scene.readFile('cart', 'view.log')).toContain('1 uncommitted change of')
    expect(scene.state('cart').prompt_file).toBe(join(scene.project, 'PROMPT.md'))
  })

  it('finds an agent by a path of the project that git does not know', async () => {
    const scene = setRepository()
    scene.write('agent.sh', '#!/bin/sh\ncat > prompt.txt\n')
    chmodSync(join(scene.project, 'agent.sh'), 0o755)
    expect((await scene.ralph(...SPAWN, '--', './agent.sh')).code).toBe(0)
    expect((await scene.ended('cart')).code).toBe(0)
    expect(readFileSync(join(scene.path, 'prompt.txt'), 'utf8')).toContain('Do task A')
    expect((await scene.ralph('resume', 'cart', '-m', '2')).code).toBe(0)
    expect((await scene.ended('cart')).code).toBe(0)
  })

  it('is not taken for the project once it is gone', async () => {
    const scene = setRepository()
    await scene.ralph(...SPAWN)
    await scene.ended('cart')
    const { run } = scene.record('cart')
    scene.git('worktree', 'remove', '--force', scene.path)
    for (const words of [['diff'], ['undo', '--yes'], ['resume', '-m', '2']]) {
      const ran = await scene.ralph(...words, run)
      expect([ran.code, ran.stderr]).toEqual([
        2,
        `ralph: error: the worktree of run ${run} is gone: ${scene.path}; if its branch is left, git has what it changed\n`,
      ])
    }
    expect((await scene.ralph('report', run)).code).toBe(0)
  })

  it('is kept with what is not merged, and removed once it was merged by a squash', async () => {
    const scene = setRepository({ worktree: { teardown: 'touch ../gone.txt' } })
    await scene.ralph(...SPAWN)
    await scene.ended('cart')
    const kill = () => scene.ralph('kill', 'cart', '--rm-worktree')
    expect(await kill()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has uncommitted changes'),
    })
    scene.inWorktree('add', '-A')
    scene.inWorktree('commit', '-qm', 'half')
    writeFileSync(join(scene.path, 'cart.txt'), 'one\ntwo\n')
    scene.inWorktree('commit', '-qam', 'whole')
    expect(await kill()).toMatchObject({ code: 1, stderr: expect.stringContaining('not in HEAD of') })
    expect(existsSync(scene.path)).toBe(true)
    scene.write('other.txt', 'meanwhile')
    scene.git('add', 'other.txt')
    scene.git('commit', '-qm', 'other work')
    scene.git('merge', '--squash', 'cart')
    scene.git('commit', '-qm', 'the cart')
    expect(await kill()).toMatchObject({ code: 0, stdout: expect.stringContaining(`removed ${scene.path}`) })
    expect(existsSync(scene.path)).toBe(false)
    expect(scene.git('branch', '--list', 'cart')).toBe('')
    expect(existsSync(`${scene.project}-worktrees/gone.txt`)).toBe(true)
  })

  it('does not begin if its setup fails, and leaves nothing', async () => {
    const scene = setRepository({ worktree: { setup: 'echo no room >&2; exit 3' } })
    expect(await scene.ralph(...SPAWN)).toMatchObject({
      code: 2,
      stderr: 'ralph: error: worktree.setup failed (exit code 3): no room; nothing was started\n',
    })
    expect(existsSync(scene.path)).toBe(false)
    expect(scene.git('branch', '--list', 'cart')).toBe('')
    expect((await scene.ralph('ls', '--format', 'names')).stdout).toBe('')
  })

  it('is not made, nor is a branch, if the sandbox that is named cannot be used', async () => {
    const scene = setRepository()
    const refused = { code: 2, stderr: expect.stringContaining('ralph: error: sandbox docker: ') }
    expect(await scene.ralph(...SPAWN, '--sandbox=docker')).toMatchObject(refused)
    expect(existsSync(scene.path)).toBe(false)
    const branch = ['--branch', 'side', '--sandbox=docker']
    expect(await scene.ralph('run', '-f', 'PROMPT.md', ...branch)).toMatchObject(refused)
    for (const name of ['cart', 'side']) expect(scene.git('branch', '--list', name)).toBe('')
  })

  it('takes neither a branch nor a folder that is there, nor a folder without a repository', async () => {
    const scene = setRepository()
    scene.git('branch', 'cart')
    expect(await scene.ralph(...SPAWN)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the branch cart already exists'),
    })
    expect(await scene.ralph('run', '-f', 'PROMPT.md', '--worktree')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--worktree is for workers'),
    })
    const bare = setWorkers({ git: false })
    expect(await bare.ralph(...SPAWN)).toMatchObject({
      code: 2,
      stderr: 'ralph: error: --worktree: this is not a git repository\n',
    })
  })
})
