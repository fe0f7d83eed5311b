import { clip } from './fields.ts'

/** Why a service rejected a call: `limited` passes with time, `unusable` only when a person changes something. */
export type Trouble = 'limited' | 'unusable'

/**
 * How CLIs word it. Each pattern matches the beginning of a message, and is used only for errors that the CLI itself
 * reports: an agent may write about quotas, and a tool may print them. Behind each pattern are the recordings in
 * test/recordings that show it; there is no pattern without a recording.
 */
const LIMITED = [
  /^API Error: Request rejected \(429\)/, // claude err-429-default, -retry-after, -text
  /^API Error: 529 Overloaded\b/, // claude err-529-retries2, err-529-text
  /^You['’]ve hit your (?:[\w-]+ ){0,4}limit\b/, // claude err-429-usage-limit, -weekly, -text; codex err-429-usage-limit
  /^exceeded retry limit, last status: 429\b/, // codex err-429, -retry-after
  /^rate limit exceeded: /, // codex err-rate-limit-mid-stream
  /^Selected model is at capacity\b/, // codex err-503-overloaded, err-overloaded-mid-stream
  /^\[API Error: [\s\S]*\]\s+Please wait and try again later\. To increase your limits\b/, // gemini err-quota, err-429-…
  /^\[API Error: The model is overloaded\b/, // gemini err-503-overloaded
]

/** A refused key, no credit, a model that does not exist. */
const UNUSABLE = [
  /^Invalid API key\b/, // claude err-401-default, -invalid-key, -text
  /^Not logged in\b/, // claude err-no-key
  /^Credit balance is too low\b/, // claude err-400-credit-balance
  /^There's an issue with the selected model\b/, // claude err-404-model
  /^unexpected status 40[1-4] /, // codex err-401, err-401-default-retries
  /^Quota exceeded\. Check your plan and billing\b/, // codex err-429-quota, err-quota-mid-stream
  /^\[API Error: \{"error":\{"code":(?:40[134],|400,"message":"API key not valid\b)/, // gemini err-401, err-403
  /^No API key found\b/, // amp no-key
]

/** Too many requests (claude and copilot err-429-…), overloaded (claude err-529-retries2). */
const LIMITED_STATUSES: readonly unknown[] = [429, 529]

/**
 * A refused key (claude, opencode, copilot err-401-…), out of credits (copilot err-402-quota, opencode
 * err-402-credits), forbidden (gemini err-403), an unknown model (claude err-404-model).
 */
const UNUSABLE_STATUSES: readonly unknown[] = [401, 402, 403, 404]

/** A flag that this version of the CLI does not have (claude err-bad-flag, codex full-auto). */
const REFUSED_FLAG = /^error: (?:unknown option|unexpected argument) '.*/m

/** The line of a CLI's standard error that refuses one of its flags, or null. */
export const refusedFlag = (errors: string): string | null => REFUSED_FLAG.exec(errors)?.[0] ?? null

const MAX_READ = 2000

/** What an error means for the CLI's next call, by its text or its HTTP status. null means nothing in particular. */
export function troubleOf(error: string, status?: unknown): Trouble | null {
  const text = clip(error, MAX_READ)
  const isWorded = (wordings: RegExp[]) => wordings.some(wording => wording.test(text))
  if (isWorded(UNUSABLE)) return 'unusable'
  if (isWorded(LIMITED) || LIMITED_STATUSES.includes(status)) return 'limited'
  return UNUSABLE_STATUSES.includes(status) ? 'unusable' : null
}

/** A time since the epoch in milliseconds, from seconds or milliseconds. undefined if it is neither. */
export function epochMs(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 1e9) return undefined
  return value < 1e11 ? value * 1000 : value
}
