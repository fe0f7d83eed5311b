import { UsageError } from '../../../core/usage-error.ts'
import { quote } from '../../../core/visible.ts'
import { parseDuration } from '../../../settings/duration.ts'
import { lastNight, type Period } from '../../../view/morning/model.ts'

/** The period that `--since` asks for, in local time; without it, the last night. */
export function periodSince(word: string | undefined, now: number): Period {
  if (word === undefined) return lastNight(now)
  const seconds = parseDuration(word)
  if (seconds !== null && seconds > 0)
    return { since: now - seconds * 1000, now, words: `in the last ${word}` }
  const since = dayNamed(word, now)
  if (since === null)
    throw new UsageError(
      `--since ${quote(word)} is neither a time span such as 12h, nor a date such as 2026-11-17, nor yesterday or today`,
    )
  if (since > now) throw new UsageError(`--since ${quote(word)} is in the future`)
  return { since, now, words: `since ${word}` }
}

/** When a day begins; null if the word names none. */
function dayNamed(word: string, now: number): number | null {
  const days = ['today', 'yesterday'].indexOf(word)
  if (days >= 0) {
    const day = new Date(now)
    day.setHours(0, 0, 0, 0)
    day.setDate(day.getDate() - days)
    return day.getTime()
  }
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(word)?.map(Number) ?? []
  if (year === undefined || month === undefined || date === undefined) return null
  const day = new Date(year, month - 1, date)
  // The 31st of a shorter month would be a day of the next one.
  return day.getMonth() === month - 1 && day.getDate() === date ? day.getTime() : null
}
