export type Glob = ReturnType<typeof readGlob>

/** All there is to know of a glob, found out once: an area is looked at twice in every iteration. */
export const readGlob = (glob: string) => ({
  under: staticPart(glob),
  descends: descender(glob),
  matches: matcher(glob),
})

/** A glob of paths: `*` and `?` within a name, `**` across folders. A folder stands for everything in it. */
export function matcher(glob: string): (path: string) => boolean {
  const source = glob
    .replace(/^\.\//, '')
    .replace(/\/+$/, '')
    .split('/')
    .map(part =>
      part === '**'
        ? '**'
        : part
            .replace(/[.+^${}()|[\]\\]/g, '\\$&')
            .replace(/\*+/g, '[^/]*')
            .replace(/\?/g, '[^/]'),
    )
    .join('/')
    .replace(/\*\*\//g, '(?:.*/)?')
    .replace(/\*\*/g, '.*')
  const pattern = new RegExp(`^${source}(?:/.*)?$`)
  return path => pattern.test(path)
}

/** The folder, or the file, below which everything lies that a glob can match. */
export function staticPart(glob: string): string {
  const parts = glob.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const wild = parts.findIndex(part => /[*?]/.test(part))
  return (wild < 0 ? parts : parts.slice(0, wild)).join('/')
}

/** Whether anything at or below a folder could match: what cannot is not walked. */
export function descender(glob: string): (folder: string) => boolean {
  const parts = glob.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const matches = parts.map(part => (part === '**' ? null : matcher(part)))
  return folder => {
    for (const [place, name] of folder.split('/').entries()) {
      const fits = matches[place]
      // `**`, or a folder within one that matches as a whole.
      if (fits === null || fits === undefined) return true
      if (!fits(name)) return false
    }
    return true
  }
}
