import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, textAt } from '../store/files/read.ts'
import type { HookInput } from './run-hook.ts'
import { sessionFolder } from './session-folder.ts'

/** After this many blocks in a row claude stops anyway, with an empty answer. */
const DEFAULT_CAP = 8

/**
 * Counts a block if one more is allowed. The limit is below claude's own, so that an iteration always ends with an
 * answer. Claude resets its count at every tool call; this count is not reset, so blocking always ends.
 */
export function countBlocks(
  { session_id, stop_hook_active = false }: HookInput,
  env: Record<string, string | undefined>,
): { mayBlock: boolean; blocks: number } {
  let file: string
  try {
    file = join(sessionFolder(session_id), 'blocks')
  } catch {
    // Without a count, block only once.
    return { mayBlock: !stop_hook_active, blocks: 1 }
  }
  // In a run of ralph a session has a single prompt. A person can send another prompt, which resets the count.
  const blocks = env.RALPH_RUN || stop_hook_active ? readCount(file) : 0
  const mayBlock = blocks < Math.max(readCap(env) - 1, 1)
  if (mayBlock) replace(file, String(blocks + 1))
  return { mayBlock, blocks }
}

function readCap({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap }: Record<string, string | undefined>): number {
  const number = Number(cap)
  // To claude 0 means no cap; here it means the default, so that the gate cannot block forever.
  return Number.isInteger(number) && number > 0 ? number : DEFAULT_CAP
}

const readCount = (file: string): number => Number(textAt(file, { limit: LIMITS.small })) || 0

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}
