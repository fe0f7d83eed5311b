import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { setParallel } from './parallel-scene.ts'

const item = (id: string, blockedBy: string[] = []) => ({
  id,
  content: `Make ${id}`,
  activeForm: `Making ${id}`,
  status: 'pending',
  blockedBy,
})

describe('ralph build --parallel 2', { timeout: 90_000 }, () => {
  it('fixes a bug in the folder of its task, merges both as one, and tells where the list is', async () => {
    const stage = await setParallel({
      acts: { 'A.worker': '[ -e A.txt ] || echo bad > A.txt', 'A-bug-1.worker': 'echo good > A.txt' },
      settings: { guardrails: [{ command: '! grep -qs bad A.txt' }] },
    })
    stage.write('list.json', JSON.stringify([item('A'), item('B'), item('C', ['A', 'B'])]))
    const ran = await stage.ralph('build', '--tasks', 'list.json', '--parallel', '2', '--', 'player')
    expect([ran.code, stage.settled().filter(s => s.startsWith('A'))]).toEqual([
      0,
      ['A work fail', 'A-bug-1 fix pass', 'A work pass', 'A merge pass'],
    ])
    const folders = stage.calls().filter(([task]) => task.startsWith('A'))
    expect(new Set(folders.map(([, , folder]) => folder)).size).toBe(1)
    expect(stage.read('A.txt')).toBe('good\n')
    expect(stage.worktrees()).toEqual([])
    expect(stage.promptOf('B', 'worker')).toContain(`Read \`${stage.project}/.ralph/sessions/`)
    expect(execFileSync('git', ['ls-files'], { cwd: stage.project, encoding: 'utf8' })).toBe(
      '.gitignore\nA.txt\nB.txt\nC.txt\nbase.txt\n',
    )
  })
})
