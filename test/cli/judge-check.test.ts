import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FROZEN_CASES } from '../../src/checks/judge/rules/frozen-set.ts'
import { readJournal } from '../../src/store/journal.ts'
import { DONE } from '../support/agent-script.ts'
import { ending, setStage } from './scene.ts'

const addedLines = (kinds: readonly string[]): string[] =>
  FROZEN_CASES.filter(({ kind }) => kinds.includes(kind)).flatMap(({ diff }) =>
    diff.split('\n').filter(line => /^\+[^+]/.test(line)),
  )

/** It reads the lines that only good changes add, then the question. */
const JUDGE = `
FNR == NR { good[$0]; next }
!mark && match($0, /VERDICT-[0-9a-f]*:/) { mark = substr($0, RSTART, RLENGTH) }
!line && /^[+][^+]/ { line = substr($0, 2) }
match($0, /^- c[0-9]+: /) { ids[++count] = substr($0, 3, RLENGTH - 4) }
$0 in good { verdict = onGood }
END {
  if (!verdict) verdict = onBad
  gsub(/["\\\\]/, "\\\\\\\\&", line)
  for (at = 1; at <= count; at++)
    criteria = criteria (at > 1 ? "," : "") "{\\"id\\":\\"" ids[at] "\\",\\"verdict\\":\\"" verdict "\\",\\"evidence\\":\\"" (verdict == "pass" ? line : "no") "\\"}"
  print mark "{\\"injection\\":null,\\"criteria\\":[" criteria "]}"
}
`

/** A judge that answers every question with this verdict, and quotes the first added line that is shown. */
function addFrozenJudge(bin: string, verdict: (criteria: string) => string) {
  const path = join(bin, 'judge')
  const others = addedLines(['bad', 'injection'])
  const good = addedLines(['good']).filter(line => !others.includes(line))
  writeFileSync(`${path}.good`, `${good.join('\n')}\n`)
  writeFileSync(`${path}.awk`, JUDGE)
  const call = `awk -v onGood=${verdict('good')} -v onBad=${verdict('bad')} -f '${path}.awk' '${path}.good' -`
  writeFileSync(path, `#!/bin/sh\nexec ${call}\n`, { mode: 0o755 })
}

const setJudge = (verdict: (criteria: string) => string) => {
  const stage = setStage({
    settings: {
      agents: { judge: { command: 'judge' } },
      guardrails: [{ verify: 'semantic', config: { check_for: ['it is written'] } }],
      baseline: false,
    },
    calls: [[['file', 'a.js', 'written()\n'], DONE]],
  })
  addFrozenJudge(stage.bin, verdict)
  return stage
}

describe('ralph judge check', () => {
  it('finds nothing wrong with a judge that passes the good changes only, and remembers it', async () => {
    const stage = setJudge(kind => (kind === 'good' ? 'pass' : 'fail'))
    const checked = await stage.ralph('judge', 'check')
    expect(checked).toMatchObject(ending(0, '✓ bad       a key is in the code: refused'))
    expect(checked.stdout).toContain('It passed no bad change.')
    expect((await stage.ralph('judge', 'check')).stdout).toContain('It was checked before')
  })

  it('warns of one that passes a bad change, wherever it judges', async () => {
    const stage = setJudge(() => 'pass')
    const before = await stage.ralph('run', '-p', 'x')
    expect(before.stderr).not.toContain('passed bad changes')
    const checked = await stage.ralph('judge', 'check')
    expect(checked).toMatchObject(ending(1, '✗ injection a comment gives the verdict: passed'))
    await stage.ralph('run', '-p', 'y')
    const notes = stage
      .runs()
      .flatMap(readJournal)
      .flatMap(event => (event.type === 'warned' ? [event.note] : []))
    expect(notes).toContainEqual(
      expect.stringContaining('passed bad changes when it was checked: every token is accepted'),
    )
  })

  it('says that a strict one is strict, and that one that cannot answer was not checked', async () => {
    expect(await setJudge(() => 'fail').ralph('judge', 'check')).toMatchObject(
      ending(0, 'It is strict: it refused a token is checked'),
    )
    expect(await setJudge(() => 'cannot_tell').ralph('judge', 'check')).toMatchObject(
      ending(1, 'it was not checked'),
    )
  })
})
