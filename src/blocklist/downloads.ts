import { type Call, lastOf, operands, valuesOf } from './call.ts'
import { plainPath } from './paths.ts'

export const isFetcher = ({ name }: Call): boolean =>
  /^(?:curl|wget|fetch|http|https|xh|xhs|aria2c|lynx|w3m|nc|ncat)$/.test(name)

/** The files that a call fetches from a server. */
export function downloads(call: Call): string[] {
  if (!isFetcher(call)) return []
  const redirected = call.redirects.filter(({ op }) => /^(?:>|>>|>\||&>)$/.test(op)).map(r => r.target)
  const named = valuesOf(call, ...(call.name === 'wget' ? ['O', 'output-document'] : ['o', 'output']))
  const asServed =
    (call.name === 'wget' && named.length === 0) ||
    call.args.some(arg => /^-[a-zA-Z]*O$|^--remote-name$/.test(arg))
  const last = asServed
    ? operands(call.args)
        .filter(arg => arg.includes('/'))
        .map(lastOf)
    : []
  return [...redirected, ...named, ...last].map(path => plainPath(path, call.cwd))
}
