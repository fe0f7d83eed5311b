import { type Call, lastOf, operands, valuesOf } from './call.ts'
import { plainPath } from './paths.ts'
import { decodeEscapes } from './shell/read-word.ts'

/** What a call prints, or null if only running it would show that. */
export function printed({ name, args, input }: Call): string | null {
  switch (name) {
    case 'echo': {
      const text = args.slice(args.findIndex(arg => !/^-[neE]+$/.test(arg))).join(' ')
      return args.some(arg => /^-[nE]*e/.test(arg)) ? decodeEscapes(text) : text
    }
    case 'printf': {
      const values = args.slice(1)
      return decodeEscapes((args[0] ?? '').replace(/%[a-z]/g, () => values.shift() ?? ''))
    }
    case 'cat':
      return args.every(arg => arg === '-') ? input.text : null
    case 'tee':
      return input.text
    default:
      return null
  }
}

/** A program that gets something from a server. */
export const isFetcher = ({ name }: Call): boolean =>
  /^(?:curl|wget|fetch|http|https|xh|xhs|aria2c|lynx|w3m|nc|ncat)$/.test(name)

/** The files that a call fetches from a server. */
export function downloads(call: Call): string[] {
  if (!isFetcher(call)) return []
  const named = valuesOf(call, call.name === 'wget' ? 'O output-document' : 'o output')
  const asServed =
    (call.name === 'wget' && named.length === 0) ||
    call.args.some(arg => /^-[a-zA-Z]*O$|^--remote-name$/.test(arg))
  const served = operands(call.args).filter(arg => arg.includes('/'))
  return [...redirectedTo(call), ...named, ...(asServed ? served.map(lastOf) : [])].map(path =>
    plainPath(path, call),
  )
}

const redirectedTo = ({ redirects }: Call): string[] =>
  redirects.filter(({ op }) => op.includes('>') && op !== '>&').map(({ target }) => target)

/** The files that a call writes: by redirection, or as what it is there for. */
export function writes(call: Call): string[] {
  const { name, args } = call
  const plain = args.filter(arg => !arg.startsWith('-'))
  const own = () => {
    if (/^(?:tee|touch|truncate)$/.test(name)) return plain
    if (/^(?:cp|mv|ln|install|rsync)$/.test(name)) return plain.slice(-1)
    if (name === 'dd') return args.filter(arg => arg.startsWith('of=')).map(arg => arg.slice(3))
    const inPlace = /^(?:sed|perl)$/.test(name) && args.some(arg => /^-(?!-)[a-z]*i|^--in-place/.test(arg))
    return inPlace ? plain.slice(1) : []
  }
  return [...redirectedTo(call), ...own()]
}
