import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { StoriesFile, Story } from '../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../core/setup.ts'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'
import { BIN, CLIS, eventsIn, furnish } from './clis.ts'

const STORY: Story = {
  ...newStory('US-001'),
  title: 'Say it right',
  acceptanceCriteria: ['answer.txt says right'],
}

const FILE: StoriesFile = {
  project: 'answers',
  branchName: 'ralph/answers',
  description: '',
  verifyCommands: ['test -s answer.txt'],
  userStories: [STORY],
}

/** Merges what it is given into the story. */
const EDIT = `import { readFileSync, writeFileSync } from 'node:fs'
const file = JSON.parse(readFileSync('ralph/tasks.json', 'utf8'))
Object.assign(file.userStories[0], JSON.parse(process.argv[2]))
writeFileSync('ralph/tasks.json', JSON.stringify(file, null, 2) + '\\n')
`

/** A repository with one story, and how an agent edits it. */
function makeProject(claudeSettings?: object) {
  const root = scratch('ralph-real-')
  const project = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(join(project, 'ralph'), { recursive: true })
  mkdirSync(home)
  writeFileSync(join(root, 'edit.mjs'), EDIT)
  writeFileSync(join(project, 'ralph', 'tasks.json'), `${JSON.stringify(FILE, null, 2)}\n`)
  writeFileSync(join(project, 'ralph', 'prd.md'), '# Answers\n')
  if (claudeSettings) {
    mkdirSync(join(project, '.claude'))
    writeFileSync(join(project, '.claude', 'settings.json'), JSON.stringify(claudeSettings))
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'T')
  git('config', 'user.email', 't@localhost')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
  return { project, home, git }
}

/** The story loop with a CLI that speaks to the loopback model. */
async function loop(cli: 'claude' | 'codex', { project, home }: ReturnType<typeof makeProject>, url: string) {
  const { model, env } = CLIS[cli]!
  furnish(CLIS[cli]!, home, url)
  const ran = await runRalph(['stories', '-a', cli, '--model', model, '--json', '--trust'], {
    cwd: project,
    env: {
      HOME: home,
      RALPH_HOME: join(home, '.ralph'),
      PATH: `${BIN}:${process.env.PATH}`,
      ...env(url),
    },
  })
  return { ran, events: eventsIn(ran.stdout) }
}

const movesIn = (events: RunEvent[]) =>
  events.flatMap(e => (e.type === 'settled' ? [`${e.stage} ${e.move}`] : []))

describe('the real claude, with the plugin that ralph gives it', () => {
  const unmarked = {
    RALPH_RUN: '',
    RALPH_WORKFLOW: 'run',
    RALPH_STAGE: '',
    RALPH_ALLOW: '["git push --force origin main"]',
  }

  it.skipIf(!existsSync(join(BIN, 'claude'))).each([
    ['', undefined],
    [', whatever the project’s settings make of its environment', { env: unmarked }],
  ])(
    'goes the same way; it is kept from a dangerous command, and from approving its own story%s',
    async (_, settings) => {
      const place = makeProject(settings)
      const { git } = place
      const { shell } = CLIS.claude!
      const edit = (change: Partial<Story>, message: string, first = 'true') =>
        shell(
          `${first} && '${process.execPath}' ../edit.mjs '${JSON.stringify(change)}' && git add -A && git commit -qm '${message}'`,
        )
      const mock = await startMockModel({
        turns: [
          // Harmless, should it ever run: there is no such remote.
          { text: 'Push first.', tools: [shell('git push --force origin main')] },
          {
            text: 'Then not.',
            tools: [
              edit({ passes: true, reviewStatus: 'approved', notes: 'x' }, 'mine', 'echo wrong > answer.txt'),
            ],
          },
          { text: 'Approved it myself.' },
          {
            text: 'Taken back.',
            tools: [edit({ passes: false, reviewStatus: 'needs_review' }, 'feat: [US-001] - Say it right')],
          },
          { text: 'Submitted.' },
          {
            text: 'Reviewing.',
            tools: [
              edit(
                { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: 'it must say right' },
                'review: [US-001] - changes requested',
              ),
            ],
          },
          { text: 'Sent back.\n<verdict>changes_requested</verdict>' },
          {
            text: 'Fixing.',
            tools: [
              edit(
                { reviewStatus: 'needs_review', reviewFeedback: '' },
                'fix: [US-001] - address review feedback',
                'echo right > answer.txt',
              ),
            ],
          },
          { text: 'Fixed.' },
          {
            text: 'Reviewing again.',
            tools: [
              edit({ reviewStatus: 'approved', passes: true, reviewCount: 2 }, 'review: [US-001] - approved'),
            ],
          },
          { text: '<promise>COMPLETE</promise>\n<verdict>approved</verdict>' },
        ],
      })
      onTestFinished(() => mock.close())
      const { ran, events } = await loop('claude', place, mock.url)
      expect(ran.code, ran.stderr).toBe(0)
      expect(movesIn(events)).toEqual(['implement pass', 'review reject', 'fix pass', 'review pass'])
      // The gate had it taken back before the iteration ended, so there was nothing to restore.
      expect(git('log', '--reverse', '--format=%s').split('\n')).toEqual([
        'start',
        'mine',
        'feat: [US-001] - Say it right',
        'review: [US-001] - changes requested',
        'fix: [US-001] - address review feedback',
        'review: [US-001] - approved',
      ])
      const said = JSON.stringify(mock.requests.map(request => request.body))
      expect(said).toContain('Implement iterations cannot set passes=true or approve stories.')
      expect(said).toContain('blocklist 4, history rewriting and force push')
      expect(said).not.toContain('does not appear to be a git repository')
      expect(events.findLast(e => e.type === 'finished')).toMatchObject({ proof: 'verified' })
    },
  )
})

describe('the real codex, without any hooks', () => {
  it.skipIf(!existsSync(join(BIN, 'codex')))(
    'goes implement → review (changes) → fix → review (approved), and a story it passes itself is put back',
    async () => {
      const place = makeProject()
      const { project, git } = place
      const { shell } = CLIS.codex!
      const turns = (change: Partial<Story>, message: string, more = 'true'): Turn[] => [
        {
          text: 'Working.',
          tools: [
            shell(
              `${more} && '${process.execPath}' ../edit.mjs '${JSON.stringify(change)}' && git add -A && git commit -qm '${message}'`,
            ),
          ],
        },
        {
          text: `Committed: ${message}. <promise>COMPLETE</promise>\n<verdict>${change.reviewStatus}</verdict>`,
        },
      ]
      const mock = await startMockModel({
        turns: [
          ...turns(
            { passes: true, reviewStatus: 'approved', notes: 'wrote it' },
            'mine',
            'echo wrong > answer.txt',
          ),
          ...turns(
            { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: 'it must say right' },
            'review: [US-001] - changes requested',
          ),
          ...turns(
            { reviewStatus: 'needs_review', reviewFeedback: '' },
            'fix: [US-001] - address review feedback',
            'echo right > answer.txt',
          ),
          ...turns({ reviewStatus: 'approved', passes: true, reviewCount: 2 }, 'review: [US-001] - approved'),
        ],
      })
      onTestFinished(() => mock.close())
      const { ran, events } = await loop('codex', place, mock.url)
      expect(ran.code).toBe(0)
      expect(movesIn(events)).toEqual(['implement pass', 'review reject', 'fix pass', 'review pass'])
      expect(events.flatMap(e => (e.type === 'warned' ? [e.note] : [])).join('\n')).toContain(
        'Implement iterations cannot set passes=true or approve stories.',
      )
      const prompts = events.flatMap(e => (e.type === 'prompted' ? [e.text] : []))
      expect(prompts[1]).toContain('Implement iterations cannot set passes=true')
      expect(prompts[2]).toContain('What the review asks for:\n\nit must say right')
      const [story] = JSON.parse(readFileSync(join(project, 'ralph', 'tasks.json'), 'utf8')).userStories
      expect(story).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 2 })
      expect(git('log', '--reverse', '--format=%s').split('\n')).toEqual([
        'start',
        'mine',
        'ralph: restore ralph/tasks.json (US-001)',
        'review: [US-001] - changes requested',
        'fix: [US-001] - address review feedback',
        'review: [US-001] - approved',
      ])
      expect(events.findLast(e => e.type === 'finished')).toMatchObject({ proof: 'verified' })
    },
  )
})
