import { type Call, has, operands } from '../call.ts'
import { placeOf } from '../paths.ts'
import type { Category } from '../rule.ts'
import { ANY, MAYBE, STAR } from '../shell/shell.ts'
import { isShell } from '../wrappers.ts'
import { runsInput } from './07-remote-code.ts'

/** Programs that turn unreadable text into something else. */
function isDecoder(call: Call): boolean {
  if (/^(?:base64|base32|gbase64)$/.test(call.name)) return has(call, 'd D decode')
  if (call.name === 'openssl') return has(call, 'd')
  if (call.name === 'xxd') return has(call, 'r')
  if (call.name === 'tr') return operands(call.args).length === 2
  return /^(?:rev|uudecode|rot13|gunzip|zcat)$/.test(call.name)
}

const runsDecoded = (call: Call): boolean =>
  runsInput(call) &&
  ((call.input.text === null && call.input.calls.some(isDecoder)) || call.within.some(isDecoder))

/** Whether it runs the text of a variable. What a substitution prints is judged by the calls in it. */
function runsUnknown(call: Call): boolean {
  if (call.within.length > 0) return false
  if (call.name === 'eval') return call.args[0]?.startsWith(MAYBE) ?? false
  return (
    isShell(call.name) && call.args.some((arg, i) => arg === MAYBE && /^-\w*c$/.test(call.args[i - 1] ?? ''))
  )
}

function hidesName(call: Call): boolean {
  const [program = ''] = call.words
  const isPattern = program.includes(STAR) || program.includes(ANY) || /^\/.*\[/.test(program)
  if (isPattern && !program.startsWith('./') && !/^\[+$/.test(program)) return true
  const reaches = (path: string) => !['elsewhere', 'git'].includes(placeOf(path, call))
  return program.includes(MAYBE) && has(call, 'r R') && operands(call.args).some(reaches)
}

export const tricksCategory: Category = {
  number: 14,
  title: 'encoding and eval tricks',
  rules: {
    'decode-to-shell': [
      'This runs text that cannot be read before it is decoded. Write the commands out.',
      { when: runsDecoded },
    ],
    'eval-unknown': [
      'This runs the text of a variable, which nobody can read here. Write the command out.',
      { when: runsUnknown },
    ],
    'hidden-name': [
      'The name of this program is hidden in a pattern or a variable. Write it out.',
      { when: hidesName },
    ],
    unreadable: [
      'This command cannot be read to its end. Write it more simply, or put it into a script file and run that.',
      { step: step => step.kind === 'unreadable' },
    ],
  },
}
