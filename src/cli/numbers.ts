import { InvalidArgumentError } from 'commander'

/** A whole number of at least one, or a sentence that says so. */
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
