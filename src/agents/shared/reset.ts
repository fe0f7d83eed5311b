/** `resets 12pm (Europe/London)`, `resets Nov 19, 3:30pm (…)` (claude err-429-usage-limit-text, -weekly); `try again at
 * 12:00 PM`, `try again at Nov 19th, 2026 12:30 PM` (codex err-429-usage-limit, -days), in the time zone of the machine. */
const CLOCK =
  /\b(?:resets|try again at) (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?,(?: (\d{4}))? )?(\d{1,2})(?::(\d{2}))? ?([ap]m)\b(?: \(([\w/+-]+)\))?/i

/** `Suggested retry after 3600s.` (gemini err-429-retry-info-long) */
const AFTER = /\bSuggested retry after (\d{1,7})s\b/

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A time this little in the past belongs to a limit that is over, not to tomorrow. */
const JUST_PAST = 10 * MINUTE

/** When a limit resets, according to the CLI's message, or undefined if the message does not say. */
export function resetIn(note: string, now: number): number | undefined {
  const after = AFTER.exec(note)
  if (after) return now + Number(after[1]) * 1000
  const said = CLOCK.exec(note)
  if (!said) return undefined
  const [, month, day, year, hour, minute = '0', half, zone] = said
  try {
    const date = month === undefined ? null : { month: MONTHS.indexOf(month.toLowerCase()), day: Number(day) }
    const time = {
      hour: (Number(hour) % 12) + (half!.toLowerCase() === 'pm' ? 12 : 0),
      minute: Number(minute),
    }
    if (date?.month === -1 || Number(hour) > 12 || time.minute > 59) return undefined
    // The message has no seconds, so the reset is only certain when the minute is over.
    return MINUTE + next(date, year === undefined ? null : Number(year), time, zone, now)
  } catch {
    // No such time zone.
    return undefined
  }
}

/** The first time from now on at which a clock shows this. */
function next(
  date: { month: number; day: number } | null,
  year: number | null,
  { hour, minute }: { hour: number; minute: number },
  zone: string | undefined,
  now: number,
): number {
  const today = new Date(shownAt(now, zone))
  const on = (y: number, month: number, day: number) => timeOf(Date.UTC(y, month, day, hour, minute), zone)
  const thisYear = today.getUTCFullYear()
  if (date === null) {
    const at = on(thisYear, today.getUTCMonth(), today.getUTCDate())
    return at >= now - JUST_PAST ? at : on(thisYear, today.getUTCMonth(), today.getUTCDate() + 1)
  }
  const at = on(year ?? thisYear, date.month, date.day)
  return year !== null || at >= now - 24 * HOUR ? at : on(thisYear + 1, date.month, date.day)
}

/** The time at which a clock in a zone shows this. `shown` is written as if it were UTC. */
function timeOf(shown: number, zone: string | undefined): number {
  const near = shown - (shownAt(shown, zone) - shown)
  // Around a change to or from daylight saving time, the first guess is an hour off.
  return near - (shownAt(near, zone) - shown)
}

/** What a clock in a zone shows at a time, as if that were UTC. */
function shownAt(at: number, zone: string | undefined): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find(part => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}
