/** Where a path is once the folder `from` is at `to`; a path outside that folder stays. */
export const movePath = (path: string, from: string, to: string): string =>
  path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path
