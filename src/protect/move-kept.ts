import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { movePath } from '../store/files/move-path.ts'
import { idAt } from '../store/files/pinned.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import type { SavedState } from './file-guard.ts'

/**
 * Lets what a run keeps of its protected files follow a project that was moved: after a crash, files are put back where
 * they are now. `isCopy`: every folder in it is another one than before. Safe to repeat.
 */
export function moveKept(runDir: string, from: string, to: string, isCopy: boolean): void {
  for (const name of readdirSync(runDir).filter(name => /^protected.*\.json$/.test(name))) {
    const path = join(runDir, name)
    const text = textAt(path, { limit: LIMITS.own })
    if (text !== null) replaceFile(path, JSON.stringify(moveState(text, from, to, isCopy)), 0o600)
  }
}

function moveState(text: string, from: string, to: string, isCopy: boolean): SavedState {
  const saved = parseJson(text, OWN_DEPTH) as SavedState
  const moved = <T>(byPath: Record<string, T>) =>
    Object.entries(byPath).map(([path, value]) => [movePath(path, from, to), value] as const)
  const roots = moved(saved.roots ?? {}).map(([path, id]) => [path, isCopy ? (idAt(path) ?? id) : id])
  return {
    ...saved,
    files: Object.fromEntries(moved(saved.files)),
    ...(saved.roots && { roots: Object.fromEntries(roots) }),
  }
}
