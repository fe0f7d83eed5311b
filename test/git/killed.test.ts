import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setRepository } from '../cli/repository.ts'
import { setStories } from '../cli/stories-stage.ts'

type Death = 'before it does anything' | 'once it has done everything' | 'and leaves a lock'

/** Every git command is killed once, as by a system without memory, and nobody hears of it but ralph. */
function addMortalGit({ root, bin }: { root: string; bin: string }, death: Death, commands: string[]): void {
  const real = process.env
    .PATH!.split(':')
    .map(folder => join(folder, 'git'))
    .find(existsSync)
  const last = {
    'before it does anything': ':',
    'once it has done everything': `"${real}" "$@" > /dev/null 2>&1`,
    'and leaves a lock': `: > "$("${real}" rev-parse --absolute-git-dir)/index.lock"`,
  }[death]
  const lines = [
    '#!/bin/sh',
    'for word in "$@"; do',
    `  case " ${commands.join(' ')} " in *" $word "*) ;; *) continue ;; esac`,
    `  mkdir "${root}/killed-$word" 2> /dev/null && { ${last}; kill -KILL $$; }`,
    'done',
    `exec "${real}" "$@"`,
  ]
  writeFileSync(join(bin, 'git'), lines.join('\n'), { mode: 0o755 })
}

const killedIn = (root: string) => readdirSync(root).filter(name => name.startsWith('killed-'))

describe.skipIf(process.platform !== 'linux')('a git of ralph’s that is killed', () => {
  const READS = ['status', 'rev-parse', 'ls-files', 'diff', 'config', 'cat-file', 'log']

  it.each<[Death, string[]]>([
    ['before it does anything', READS],
    ['before it does anything', ['add', 'commit']],
    ['once it has done everything', ['add']],
    ['once it has done everything', ['commit']],
    ['and leaves a lock', ['add']],
    ['and leaves a lock', ['commit']],
  ])('%s is run again: nothing is in doubt, and the work is committed once (%j)', async (death, commands) => {
    const stage = setRepository({
      settings: { guardrails: [{ command: 'true' }], scm: { command: 'git', tasks: ['commit'] } },
      calls: [
        [
          ['file', 'made', ''],
          ['claude', 'Done. <response>DONE</response>'],
        ],
        [['print', 'Make it']],
      ],
    })
    addMortalGit(stage, death, commands)
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(killedIn(stage.root).length).toBeGreaterThan(0)
    expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', proof: 'verified' })
    expect(stage.log()).toEqual(['Make it', 'start'])
    expect(stage.journal().filter(e => e.type === 'committed')).toEqual([
      expect.objectContaining({ by: 'ralph', to: stage.git('rev-parse', 'HEAD') }),
    ])
  })

  it.each<Death>(['before it does anything', 'once it has done everything', 'and leaves a lock'])(
    '%s is run again in a story loop, too',
    async death => {
      const stage = setStories({
        settings: { baseline: false },
        // What it must not change is restored and committed.
        always: ({ edit, honest }) => {
          edit({ acceptanceCriteria: ['anything'] })
          honest()
        },
      })
      // Only ralph's own commits have this word.
      addMortalGit(stage, death, ['--no-verify'])
      expect((await stage.ralph('stories')).code).toBe(0)
      expect(killedIn(stage.root)).toHaveLength(1)
      expect(stage.warned().filter(note => note.includes('uncommitted'))).toEqual([])
      expect(stage.git('status', '--porcelain', '--', 'ralph')).toBe('')
    },
  )
})
