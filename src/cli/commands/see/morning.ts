import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { quote, safeJson } from '../../../core/visible.ts'
import { ralphHome } from '../../../runs/find.ts'
import { type Io, pageWidth, say } from '../../../runs/io.ts'
import { readMorning } from '../../../runs/night.ts'
import { parseDuration } from '../../../settings/words.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { requireWritable } from '../../../store/files/writable.ts'
import { terminalStyle } from '../../../terminal/console.ts'
import { htmlMorning } from '../../../view/morning/html.ts'
import { lastNight, type Period } from '../../../view/morning/model.ts'
import { morningLines } from '../../../view/morning/page.ts'
import { skippedLines } from '../../../view/morning/words.ts'
import { workflows } from '../../../workflows/index.ts'

/** `html`: where the page goes. True if the user named no file. */
export type MorningOptions = { since?: string; json?: boolean; html?: true | string }

/** Prints what the runs of this machine did in the night. */
export function showMorning(options: MorningOptions, { stdout, stderr, env }: Io, now = Date.now()): number {
  const home = ralphHome(env)
  const morning = readMorning(workflows, home, periodSince(options.since, now))
  for (const line of skippedLines(morning)) say(stderr, `ralph: warning: ${line}`)
  if (options.json) {
    stdout.write(`${safeJson(morning, 2)}\n`)
    return 0
  }
  if (options.html === undefined) {
    const width = pageWidth(stdout)
    stdout.write(`${morningLines(morning, terminalStyle(stdout, env), width).join('\n')}\n`)
    return 0
  }
  const page = `${htmlMorning(morning).join('\n')}\n`
  const named = options.html === true ? null : resolve(options.html)
  if (named === null && !stdout.isTTY) {
    stdout.write(page)
    return 0
  }
  // A terminal cannot show a page. In ralph's own folder, only the user can read it.
  const path = named ?? resolve(home, 'morning.html')
  requireWritable(path, 'ralph morning --html FILE writes it elsewhere', () => {
    if (named === null) mkdirSync(home, { recursive: true, mode: 0o700 })
    replaceFile(path, page, named === null ? 0o600 : undefined)
  })
  return say(stdout, `the page is ${path}; open it in a browser`)
}

/** The period that `--since` asks for, in local time. Without it, the last night. */
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

/** When a day begins. Null if the word names none. */
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
