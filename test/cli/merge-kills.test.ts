import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startRalph } from '../support/ralph.ts'
import { setParallel } from './parallel-scene.ts'

const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()

/**
 * A git that kills ralph when it is to do what the first line of `$ACTS/armed` says: right before it, right after, or in
 * the middle, where all that is seen of it is its lock. Then comes the next line. An agent arms it, so that it hits the
 * merge that comes next.
 */
const DEADLY = `#!/bin/sh
if [ -s "$ACTS/armed" ]; then case " $* " in *"$(sed -n '1s/^[a-z]*//p' "$ACTS/armed")"*)
  when=$(sed -n '1s/ .*//p' "$ACTS/armed"); sed -n '1p' "$ACTS/armed" >> "$ACTS/kills"; sed -i 1d "$ACTS/armed"
  case $when in
    in) : > "$(${GIT} rev-parse --absolute-git-dir)/index.lock";;
    after) ${GIT} "$@";;
  esac
  kill -9 "$(cat "$ACTS/pid")"; sleep 5; exit 1;;
esac; fi
exec ${GIT} "$@"
`

/** Waits until the other task is merged and its branch is gone, then changes the same line. */
const LATER = `i=0; while [ -n "$(git for-each-ref 'refs/heads/ralph/*/T1')" ] && [ $i -lt 400 ]; do sleep 0.05; i=$((i+1)); done
printf 'base\\nT2\\n' > base.txt; echo T2 > T2.txt`
const RESOLVES = `sed -e '/^<<<<<<</d' -e '/^=======/d' -e '/^>>>>>>>/d' base.txt > base.new; mv base.new base.txt`

/** Everything that a merge changes anywhere, in order, as words of the git command. */
const CONFLICT = [
  ' commit --only ',
  ' worktree add --quiet --detach ',
  ' rebase --quiet ',
  ' rebase --abort ',
  ' merge --quiet --no-ff ',
  ' add --all -- base.txt',
  ' commit --quiet --no-edit ',
  ' worktree remove --force ',
  ' reset --quiet --keep ',
]
const RESOLVED = [
  ' commit --only ',
  ' commit-tree ',
  ' reset --quiet --keep ',
  ' merge --quiet --ff-only ',
  ' worktree remove ',
  ' branch --quiet -D ',
]

/** Git locks the index for these. */
const LOCKS = /commit --|rebase|merge|add --all|reset/
const linesOf = (word: string) =>
  ['before', ...(LOCKS.test(word) ? ['in'] : []), 'after'].map(when => `${when}${word}\n`).join('')

describe('a ralph that is killed before, in and after each thing that', { timeout: 120_000 }, () => {
  it.each([
    ['a merge with a conflict does', 'coder', CONFLICT],
    ['the merge of resolved work does', 'resolver', RESOLVED],
  ])('%s merges the task once, without a trace', async (_, armedBy, points) => {
    const arm = `cp "$ACTS/points" "$ACTS/armed"`
    const stage = await setParallel({
      acts: {
        'T1.coder': `printf 'base\\nT1\\n' > base.txt; echo T1 > T1.txt`,
        'T2.coder': armedBy === 'coder' ? `${LATER}; ${arm}` : LATER,
        'T2.resolver': armedBy === 'resolver' ? `${RESOLVES}; ${arm}` : RESOLVES,
        points: points.map(linesOf).join(''),
      },
      settings: {
        killGrace: 0.2,
        pipeline: { roles: Object.fromEntries(['reviewer', 'tester', 'qa'].map(r => [r, { skip: true }])) },
      },
    })
    writeFileSync(join(stage.bin, 'git'), DEADLY, { mode: 0o755 })
    const acts = join(stage.root, 'acts')
    const read = (name: string) => readFileSync(join(acts, name), 'utf8')
    let words = ['pipeline', '--parallel', '2', '--', 'player']
    let ended: Awaited<ReturnType<typeof startRalph>['ended']> | undefined
    for (let kills = 0; kills <= 3 * points.length && ended?.signal !== null; kills++) {
      const ralph = startRalph(words, { cwd: stage.project, env: stage.env })
      writeFileSync(join(acts, 'pid'), String(ralph.pid))
      ended = await ralph.ended
      words = ['resume']
    }
    expect([ended?.code, read('kills'), read('armed')]).toEqual([0, read('points'), ''])
    // The conflict went to an agent once, and came back resolved.
    const merging = stage.settled().filter(settled => /^T2 (?:merge|resolve)/.test(settled))
    expect(merging).toEqual(['T2 merge fail', 'T2 resolve pass', 'T2 merge pass'])
    expect(stage.git('log', '--format=%s').split('\n').sort()).toEqual([
      'Make T1',
      'Make T2',
      'Merge the latest changes into: Make T2',
      'begin',
    ])
    expect(stage.git('log', '--all', '-p', '--format=').match(/^\+[<>]{7}/m)).toBeNull()
    expect(stage.read('base.txt')).toBe('base\nT2\nT1\n')
    expect(stage.git('status', '--porcelain')).toBe('')
    expect(stage.branches()).toEqual(['main'])
    expect(stage.git('worktree', 'list').split('\n')).toHaveLength(1)
    expect(existsSync(`${stage.project}-worktrees`)).toBe(false)
    expect(stage.runs().some(run => existsSync(join(run, 'merging')))).toBe(false)
  })
})
