import type { Call } from './call.ts'
import { decodeEscapes } from './shell/read-expansion.ts'
import { MAYBE, SOME } from './shell/shell.ts'

/** What a call prints, where its words say so; null where only running it would tell. */
export function printed(call: Call): string | null {
  switch (call.name) {
    case 'echo': {
      const text = call.args.slice(call.args.findIndex(arg => !/^-[neE]+$/.test(arg))).join(' ')
      return call.args.some(arg => /^-[nE]*e/.test(arg)) ? decodeEscapes(text) : text
    }
    case 'printf':
      return format(call.args)
    case 'cat':
      return call.args.every(arg => arg === '-') ? call.input.text : null
    case 'tee':
      return call.input.text
    case 'pwd':
      return call.cwd
    case 'git':
      return call.args.includes('--show-toplevel') ? '.' : null
    case 'mktemp':
    case 'date':
    case 'whoami':
    case 'id':
      return SOME
    default:
      return null
  }
}

/** What a substitution becomes. */
export const substituted = (text: string | null): string => text ?? MAYBE

function format([pattern = '', ...values]: string[]): string {
  let i = 0
  return decodeEscapes(pattern).replace(
    /%(?:%|[-+ 0#]{0,5}\d{0,9}(?:\.\d{1,9})?([a-zA-Z]))/g,
    (all, kind) => {
      if (all === '%%') return '%'
      const value = values[i++] ?? ''
      return kind === 'b' ? decodeEscapes(value) : value
    },
  )
}
