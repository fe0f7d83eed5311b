import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A judge that is a program of its own: it answers with this JSON, behind the mark of its question. Each question is kept
 * as a file, `<dir>/<name>.<number>`.
 */
export function addJudge(dir: string, name: string, ...answers: unknown[]): string {
  const path = join(dir, name)
  const cases = answers.map((answer, index) => {
    const nth = index === answers.length - 1 ? '*' : index + 1
    return `${nth}) printf '%s%s\\n' "$mark" '${JSON.stringify(answer).replaceAll("'", `'\\''`)}' ;;`
  })
  const lines = [
    '#!/bin/sh',
    `n=1; while [ -e '${path}.'$n ]; do n=$((n + 1)); done`,
    `cat > '${path}.'$n`,
    `pwd > '${path}.place'; ls -A | wc -l >> '${path}.place'`,
    `mark=$(grep -o 'VERDICT-[0-9a-f]*:' '${path}.'$n | head -n 1)`,
    'case $n in',
    ...cases,
    'esac',
  ]
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 })
  return path
}

/** An answer about criteria in their order. */
export const verdicts = (...given: [verdict: 'pass' | 'fail' | 'cannot_tell', evidence: string][]) => ({
  injection: null,
  criteria: given.map(([verdict, evidence], index) => ({ id: `c${index + 1}`, verdict, evidence })),
})
