import { formatDuration } from '../core/format.ts'

const two = (n: number) => String(n).padStart(2, '0')

const dayOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`

/** `14:05`, in local time; with the date if it is not today. */
export function clockTime(at: number, now: number): string {
  const date = new Date(at)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  return dayOf(date) === dayOf(new Date(now)) ? time : `${dayOf(date)} ${time}`
}

/** `[14:05:09]`, in local time. */
export function stampTime(at: number): string {
  const date = new Date(at)
  return `[${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}]`
}

/** In whole seconds: nobody can read tenths that change all the time. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(Math.floor(ms / 1000), 0)
  return seconds < 10 ? `${seconds}s` : formatDuration(seconds * 1000)
}
