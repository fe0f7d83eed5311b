import { describe, expect, it } from 'vitest'
import { diceOf, howAgain } from '../support/killing.ts'
import { startRalph } from '../support/ralph.ts'
import { setParallel, taskOf } from './parallel-scene.ts'

/** How often it is done: `RALPH_MERGES=50` for a long run. */
const ROUNDS = Number(process.env.RALPH_MERGES ?? 3)

/** Adds a line where the others add theirs too, so that every merge but the first conflicts. */
const edits = (id: string) => `sleep 0.1; echo ${id} > ${id}.txt; printf 'base\\n${id}\\n' > base.txt`

/** Keeps both sides. */
const RESOLVES = `sleep 0.1; sed -e '/^<<<<<<</d' -e '/^=======/d' -e '/^>>>>>>>/d' base.txt > base.new; mv base.new base.txt`

const IDS = ['T1', 'T2', 'T3']
const SKIPPED = { skip: true }

describe('tasks that change the same lines at once', { timeout: 60_000 + ROUNDS * 60_000 }, () => {
  it.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))(
    'each end merged, or blocked with a branch that is kept, however often ralph is killed (round %i)',
    async round => {
      const dice = diceOf(round)
      const unresolved = dice.chance(0.3) ? dice.pick(IDS) : null
      const stage = await setParallel({
        tasks: IDS.map(id => taskOf(id)),
        files: { 'notes.txt': 'notes\n' },
        acts: Object.fromEntries(
          IDS.flatMap(id => [
            [`${id}.coder`, edits(id)],
            [`${id}.resolver`, id === unresolved ? ':' : RESOLVES],
          ]),
        ),
        settings: {
          killGrace: 0.2,
          guardrails: [{ command: 'sleep 0.05; ! grep -q ======= base.txt' }],
          pipeline: { roles: { reviewer: SKIPPED, tester: SKIPPED, qa: SKIPPED } },
        },
      })
      stage.write('notes.txt', 'mine, not committed\n')
      let words = ['pipeline', '--parallel', '3', '--', 'player']
      const kills = 1 + dice.below(3)
      for (let kill = 0; kill < kills; kill++) {
        const ralph = startRalph(words, { cwd: stage.project, env: stage.env })
        const timer = setTimeout(() => ralph.kill('SIGKILL'), 300 + dice.below(4000))
        await ralph.ended
        clearTimeout(timer)
        if (stage.begun()) words = ['resume']
      }
      // Killed early enough, it has left nothing to resume.
      for (let again = 0; again < 4 && (!stage.begun() || stage.canGoOn()); again++) {
        await stage.ralph(...words)
        words = ['resume']
      }

      const main = stage.git('show', 'HEAD:base.txt').split('\n')
      for (const id of IDS) {
        const { status } = stage.stored(id)
        const at = `${id} ${howAgain} round ${round}`
        if (status === 'completed') {
          expect([at, main.includes(id)]).toEqual([at, true])
          expect(stage.git('show', `HEAD:${id}.txt`)).toBe(id)
        } else {
          expect([at, status]).toEqual([at, 'blocked'])
          const branch = stage.branches().find(name => name.endsWith(`/${id}`))
          expect([at, branch === undefined]).toEqual([at, false])
          expect(stage.git('show', `${branch}:${id}.txt`)).toBe(id)
          expect(stage.worktrees()).toContain(id)
        }
        if (id !== unresolved) expect([at, status]).toEqual([at, 'completed'])
      }
      for (const { to } of stage.events('merged')) stage.git('merge-base', '--is-ancestor', to, 'HEAD')
      for (const commit of stage.git('log', '--format=%H').split('\n'))
        expect(stage.git('show', `${commit}:base.txt`)).not.toMatch(/^[<>]{7}/m)
      expect(stage.read('notes.txt')).toBe('mine, not committed\n')
      expect(stage.git('status', '--porcelain')).toBe(' M notes.txt')
    },
  )
})
