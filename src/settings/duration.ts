/** `6h`, `30m`, `90s`, `1h30m`: at least one part, the largest first. */
export const DURATION = /^(?=\d)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?$/

/** The seconds of a duration such as `1h30m`; null if it is not one. */
export function parseDuration(text: string): number | null {
  const found = DURATION.exec(text)
  if (!found) return null
  const [hours, minutes, seconds] = found.slice(1).map(part => Number(part ?? 0))
  return hours! * 3600 + minutes! * 60 + seconds!
}
