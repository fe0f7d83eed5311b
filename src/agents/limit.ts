import { cut } from './fields.ts'

/**
 * How CLIs word a rate or usage limit, each as a whole message begins: an agent may well write about quotas, and a
 * tool may print them. Only ever held against an error that the CLI itself reports. After each, the recordings in
 * test/recordings that show it; a message that none shows has no rule.
 */
const WORDINGS = [
  /^API Error: Request rejected \(429\)/, // claude err-429-default, -retry-after, -text
  /^API Error: 529 Overloaded\b/, // claude err-529-retries2, err-529-text
  /^Credit balance is too low\b/, // claude err-400-credit-balance
  /^You['’]ve hit your (?:[\w-]+ ){0,4}limit\b/, // claude err-429-usage-limit, -weekly, -text; codex err-429-usage-limit
  /^exceeded retry limit, last status: 429\b/, // codex err-429, -retry-after
  /^rate limit exceeded: /, // codex err-rate-limit-mid-stream
  /^Quota exceeded\. Check your plan and billing\b/, // codex err-429-quota, err-quota-mid-stream
  /^Selected model is at capacity\b/, // codex err-503-overloaded, err-overloaded-mid-stream
  /^\[API Error: [\s\S]*\]\s+Please wait and try again later\. To increase your limits\b/, // gemini err-quota, err-429-…
  /^\[API Error: The model is overloaded\b/, // gemini err-503-overloaded
]

const READ = 2000

/** Whether an error speaks of a limit. */
export function isLimit(error: string): boolean {
  const text = cut(error, READ)
  return WORDINGS.some(wording => wording.test(text))
}

/**
 * Out of credits (copilot err-402-quota, opencode err-402-credits), too many requests (claude and copilot err-429-…),
 * overloaded (claude err-529-retries2).
 */
const STATUSES: readonly unknown[] = [402, 429, 529]

/** Whether an HTTP status means a limit, whatever the words beside it. */
export const isLimitStatus = (status: unknown): boolean => STATUSES.includes(status)

/** Milliseconds from a moment given in seconds or in milliseconds; undefined if it is neither. */
export function epochMs(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 1e9) return undefined
  return value < 1e11 ? value * 1000 : value
}
