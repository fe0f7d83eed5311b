import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { refusal, setStage } from './scene.ts'

it('the demo goes from a red guardrail to a green one on a project it leaves for a look', async () => {
  const stage = setStage()
  const ran = await stage.spawn('demo')
  const dir = /scratch project with a failing test: (.+)/.exec(ran.stdout)![1]!
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout).toContain('✗ node --test failed with exit code 1')
  expect(ran.stdout).toMatch(/✓ node --test[\s\S]*done, verified {2}2 iterations/)
  expect(ran.stdout).toMatch(/^ {2}ralph diff \S+$/m)
  expect(existsSync(join(dir, '.git'))).toBe(true)
  expect(execFileSync('git', ['diff', '--name-only'], { cwd: dir, encoding: 'utf8' })).toBe('cart.js\n')
  expect(readFileSync(join(dir, 'cart.js'), 'utf8')).toContain('quantity')
})

it('the demo of a build makes a list, mends what a check finds, and works the list off', async () => {
  const stage = setStage()
  const ran = await stage.ralph('demo', 'build')
  const dir = /scratch project with nothing in it: (.+)/.exec(ran.stdout)![1]!
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout).toMatch(
    /\[x\] #3 Add discounts by code\n {4}\[x\] #3-bug-1 Fix: [\s\S]*Progress: 6\/6 \(100%\)/,
  )
  expect(ran.stdout).toContain('done, verified  9 iterations')
  expect(existsSync(join(dir, 'receipt.js'))).toBe(true)
})

it('there are no other demos', async () => {
  expect(await setStage().ralph('demo', 'workers')).toMatchObject(
    refusal('Allowed choices are run, build, stories, pipeline.'),
  )
})

it('the demo of stories sends one of three back once, ends with all approved, and shows the reviews', async () => {
  const stage = setStage()
  const ran = await stage.ralph('demo', 'stories')
  const dir = /scratch project with three stories: (.+)/.exec(ran.stdout)![1]!
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout).toContain('4 reviews: US-001 1 · US-002 2 · US-003 1')
  expect(ran.stdout).toContain('3 stories × ~3 iterations each = ~9 iterations needed')
  expect(ran.stdout).toContain('done, verified')
  const { userStories } = JSON.parse(readFileSync(join(dir, 'ralph', 'tasks.json'), 'utf8'))
  expect(userStories.every((story: { passes: boolean }) => story.passes)).toBe(true)
  const log = execFileSync('git', ['log', '--format=%s'], { cwd: dir, encoding: 'utf8' })
  expect(log).toContain('review: [US-002] - changes requested\n')
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: dir, encoding: 'utf8' })).toBe('')
})

it('the demo of the pipeline catches a false promise and a bug, and ends with every stage verified', async () => {
  const stage = setStage()
  const ran = await stage.ralph('demo', 'pipeline')
  const dir = /scratch project with one task: (.+)/.exec(ran.stdout)![1]!
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout).toContain('done, verified  7 iterations')
  const status = (await stage.ralph('status', '-C', dir)).stdout
  expect(status).toContain('- coder, iteration 1: not verified.')
  expect(status).toContain('- qa, iteration 7: verified. All 2 verification stages passed')
})
