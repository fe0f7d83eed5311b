/** The time that a morning report is about. Moments in ms since the epoch; `words` says it to people. */
export type Period = { since: number; now: number; words: string }

const HOUR = 3_600_000
const NOON = 12
const EVENING = 18

/** Before noon the night since yesterday evening, later the last 24 hours. In local time. */
export function lastNight(now: number): Period {
  const evening = new Date(now)
  if (evening.getHours() >= NOON) return { since: now - 24 * HOUR, now, words: 'in the last 24 hours' }
  evening.setDate(evening.getDate() - 1)
  evening.setHours(EVENING, 0, 0, 0)
  return { since: evening.getTime(), now, words: 'since yesterday 18:00' }
}
