import { cut } from './fields.ts'

/**
 * How CLIs word a rate or usage limit. Only ever held against an error, never against an agent's words:
 * an agent may well write about quotas. A full context window or a spent retry count is no such limit.
 */
const WORDINGS = [
  /\b(?:usage|session|weekly|daily|monthly|hourly|5-hour|five-hour|opus|sonnet|rate)[ _-]?limit/,
  /\bhit your [\w' -]{0,40}limit/,
  /\blimit\b.{0,60}\bresets?\b/,
  /(?<!disk )\bquota\b/,
  /insufficient_quota/,
  /\bresource_exhausted\b/,
  /\bcredit balance is too low\b/,
  /\bout of (?:extra usage|credits)\b/,
  /\b429 too many requests\b|\(429\)|\b529 overloaded\b|\bmodel is overloaded\b/,
]

const READ = 2000

/** Whether an error speaks of a limit, and until when, where it says so in a way that needs no clock. */
export function limitIn(error: string): { resetsAt?: number } | null {
  const text = cut(error, READ).toLowerCase()
  if (!WORDINGS.some(wording => wording.test(text))) return null
  const epoch = /\|(\d{10,13})\s*$/.exec(text)
  return epoch ? { resetsAt: epochMs(Number(epoch[1])) } : {}
}

/** Too many requests, and overloaded. */
const STATUSES: readonly unknown[] = [429, 529]

/** Whether an HTTP status means a limit, whatever the words beside it. */
export const limitBy = (status: unknown): Record<string, never> | null =>
  STATUSES.includes(status) ? {} : null

/** Milliseconds from a moment given in seconds or in milliseconds; undefined if it is neither. */
export function epochMs(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 1e9) return undefined
  return value < 1e11 ? value * 1000 : value
}
