import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookInput } from './run-hook.ts'
import { sessionFolder } from './session-folder.ts'

/** After so many blocks in a row claude ends anyway, with an empty answer. */
const CLAUDES_CAP = 8

/**
 * Counts a block, if there may be one more: fewer than claude itself allows, so that an iteration always ends with an
 * answer. Claude's own count begins anew with every tool call; this one does not, so that nothing is blocked for ever.
 */
export function countBlocks(
  { session_id, stop_hook_active = false }: HookInput,
  env: Record<string, string | undefined>,
): { mayBlock: boolean; blocks: number } {
  let file: string
  try {
    file = join(sessionFolder(session_id), 'blocks')
  } catch {
    // What cannot be counted is done once.
    return { mayBlock: !stop_hook_active, blocks: 1 }
  }
  // A run of ralph is one question to the end; a person asks again, and that begins anew.
  const blocks = env.RALPH_RUN || stop_hook_active ? readCount(file) : 0
  const mayBlock = blocks < Math.max(claudesCap(env) - 1, 1)
  if (mayBlock) replace(file, String(blocks + 1))
  return { mayBlock, blocks }
}

function claudesCap({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap }: Record<string, string | undefined>): number {
  const number = Number(cap)
  // 0 means no cap to claude; a gate without end helps nobody.
  return Number.isInteger(number) && number > 0 ? number : CLAUDES_CAP
}

function readCount(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8')) || 0
  } catch {
    return 0
  }
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}
