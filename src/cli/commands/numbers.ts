import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../settings/duration.ts'

/** A whole number of at least one. */
export function positiveInteger(text: string): number {
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1 || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return n
}

export function positiveSeconds(text: string): number {
  const n = Number(text)
  if (text.trim() === '' || !Number.isFinite(n) || n <= 0)
    throw new InvalidArgumentError('It must be a number of seconds above 0.')
  return n
}

export function positiveAmount(text: string): number {
  const n = Number(text)
  if (text.trim() === '' || !Number.isFinite(n) || n <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return n
}

/** The seconds in `90s`, `30m`, `2h`, `1h30m`. */
export function timeSpan(text: string): number {
  const seconds = parseDuration(text)
  if (seconds === null || seconds <= 0)
    throw new InvalidArgumentError('It must be a time such as 90s, 30m or 2h.')
  return seconds
}

export function zeroOrMore(text: string): number {
  const n = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('It must be a whole number.')
  return n
}

/** Negative ones too. */
export function wholeNumber(text: string): number {
  const n = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('It must be a whole number.')
  return n
}
