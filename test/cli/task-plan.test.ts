import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planText } from '../../src/workflows/pipeline/rules/plan-prompt.ts'
import { setStage } from './scene.ts'

const PLAN = `- id: T1
  title: Write it
  completion: { outcome: It is written, acceptance_criteria: [a.js exists] }
- id: T2
  title: Test it
  dependencies: [T1]
  completion: { outcome: It is tested, acceptance_criteria: [a test exists] }
`
const inFence = (plan: string) => `Here it is:\n\n\`\`\`yaml\n${plan}\`\`\`\n`

const setPlanner = (...answers: string[]) => {
  const stage = setStage({
    answers: [
      ['planner', 'Turn the specification', ...answers.map(text => [['claude', text]] as [string, string][])],
    ],
  })
  stage.write('auth.md', '# Log in\n\nPeople log in with a token.\n')
  const tasks = () => {
    try {
      return readdirSync(join(stage.project, '.ralph', 'tasks'))
    } catch {
      return []
    }
  }
  return { ...stage, tasks }
}

describe('ralph task plan', () => {
  it('adds what an agent proposes, by the rules of the document', async () => {
    const stage = setPlanner(inFence(PLAN))
    const ran = await stage.ralph('task', 'plan', 'auth.md', '--yes')
    expect([ran.code, stage.tasks()]).toEqual([0, ['T1.json', 'T2.json']])
    expect(ran.stdout).toContain('Outcome: It is written\n')
    const [asked] = stage.asked()
    expect(asked!.prompt).toContain('2. **acceptance_criteria**: A list of specific, verifiable requirements')
    expect(asked!.prompt).toContain('People log in with a token.')
    expect((await stage.ralph('task', 'list')).stdout).toMatch(/T2 +pending +auth +Test it › after T1/)
  })

  it('says where it asks if the sandbox of the settings is for runs only', async () => {
    const stage = setPlanner(inFence(PLAN))
    mkdirSync(join(stage.project, '.ralph'))
    stage.write('.ralph/settings.local.json', JSON.stringify({ sandbox: { mode: 'docker' } }))
    const ran = await stage.ralph('task', 'plan', 'auth.md', '--yes', '--trust')
    expect(ran.stderr).toMatch(
      /only runs use the sandbox docker; this call is made (without a sandbox|in srt)/,
    )
    expect(ran.code).toBe(0)
  })

  it('asks once more if the plan cannot be used, with everything that is wrong', async () => {
    const broken = PLAN.replace('outcome: It is tested, ', '').replace('[T1]', '[T9]')
    const stage = setPlanner(inFence(broken), inFence(PLAN))
    expect((await stage.ralph('task', 'plan', 'auth.md', '--yes')).code).toBe(0)
    expect(stage.asked()).toHaveLength(2)
    expect(stage.asked()[1]!.prompt).toContain('- plan:7: [1].completion.outcome is missing')
  })

  it('adds nothing if it still cannot be used', async () => {
    const stage = setPlanner(inFence(PLAN.replace('[T1]', '[T9]')))
    const ran = await stage.ralph('task', 'plan', 'auth.md', '--yes')
    expect([ran.code, stage.tasks(), stage.asked().length]).toEqual([1, [], 2])
    expect(ran.stderr).toContain('is T9, which does not exist')
  })

  it.each([
    [['auth.md'], 'there is no terminal to ask whether the plan is right; add --yes'],
    [['none.md', '--yes'], 'none.md'],
    [['empty.md', '--yes'], 'empty.md is empty; there is nothing to plan'],
  ])('refuses %j', async (words, message) => {
    const stage = setPlanner(inFence(PLAN))
    stage.write('empty.md', '\n')
    const ran = await stage.ralph('task', 'plan', ...words)
    expect([ran.code, ran.stderr, stage.asked()]).toEqual([2, expect.stringContaining(message), []])
  })

  it('takes the last block of an answer, or all of it', () => {
    expect(planText(`\`\`\`\nno\n\`\`\`\nthen\n${inFence(PLAN)}`)).toBe(PLAN)
    expect(planText(PLAN)).toBe(PLAN)
  })
})
