/** Where a key moves to in a list of `count`; null: it does not move. */
export function moved(name: string, at: number, count: number, page: number): number | null {
  const last = Math.max(count - 1, 0)
  const to = (place: number) => Math.min(Math.max(place, 0), last)
  switch (name) {
    case 'up':
    case 'k':
      return to(at - 1)
    case 'down':
    case 'j':
      return to(at + 1)
    case 'pageup':
    case 'ctrl+b':
      return to(at - page)
    case 'pagedown':
    case 'ctrl+f':
    case ' ':
      return to(at + page)
    case 'home':
    case 'g':
      return 0
    case 'end':
    case 'G':
      return last
    default:
      return null
  }
}
