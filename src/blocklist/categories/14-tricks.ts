import { type Call, has, operands } from '../call.ts'
import { placeOf } from '../paths.ts'
import { type Category, onCall, programs } from '../rule.ts'
import { ANY, MAYBE, STAR } from '../shell/shell.ts'
import { isShell } from '../wrappers.ts'
import { runsInput } from './07-remote-code.ts'

/** Programs that turn unreadable text into something else. */
function isDecoder(call: Call): boolean {
  switch (call.name) {
    case 'base64':
    case 'base32':
    case 'gbase64':
      return has(call, 'd', 'D', 'decode')
    case 'openssl':
      return has(call, 'd') || call.args.includes('-d')
    case 'xxd':
      return has(call, 'r')
    case 'rev':
    case 'uudecode':
    case 'rot13':
      return true
    case 'gunzip':
    case 'zcat':
      return true
    case 'tr':
      return operands(call.args).length === 2
    case 'printf':
    case 'echo':
      return false
    default:
      return false
  }
}

const CODE = /\b(?:exec|eval|system|popen|subprocess|spawn|child_process|Function)\b/
const DECODES =
  /b64decode|fromhex|unhexlify|atob\(|Buffer\.from\([^)]*,\s*['"](?:base64|hex)|decode_base64|unpack\(|pack\(|Base64|rot_?13|chr\(\d+\)\s*[+.]|fromCharCode/

const isPattern = (word: string): boolean => word.includes(STAR) || word.includes(ANY) || /^\/.*\[/.test(word)

export const tricksCategory: Category = {
  number: 14,
  title: 'encoding and eval tricks',
  programs: programs('python perl ruby node php deno bun'),
  rules: [
    {
      name: 'decode-to-shell',
      any: true,
      denies: onCall(
        call =>
          runsInput(call) &&
          ((call.input.text === null && call.input.calls.some(isDecoder)) || call.within.some(isDecoder)),
      ),
      reason: 'This runs text that cannot be read before it is decoded. Write the commands out.',
    },
    {
      name: 'decode-in-code',
      denies: onCall(
        call =>
          /^(?:python[\d.]*|perl|ruby|node|php|deno|bun)$/.test(call.name) &&
          has(call, 'c', 'e', 'r', 'eval', 'print', 'p') &&
          call.args.some(arg => CODE.test(arg) && DECODES.test(arg)),
      ),
      reason: 'This runs text that cannot be read before it is decoded. Write the code out, best in a file.',
    },
    {
      name: 'eval-unknown',
      any: true,
      denies: onCall(
        call =>
          (call.name === 'eval' &&
            call.within.length === 0 &&
            call.args.length > 0 &&
            call.args[0]!.startsWith(MAYBE)) ||
          (isShell(call.name) &&
            call.within.length === 0 &&
            call.args.some((arg, i) => arg === MAYBE && /^-\w*c$/.test(call.args[i - 1] ?? ''))),
      ),
      reason: 'This runs the text of a variable, which nobody can read here. Write the command out.',
    },
    {
      name: 'hidden-name',
      any: true,
      denies: onCall(call => {
        const [program = ''] = call.words
        if (isPattern(program) && !program.startsWith('./') && !/^\[+$/.test(program)) return true
        return (
          program.includes(MAYBE) &&
          has(call, 'r', 'R') &&
          operands(call.args).some(path => !['elsewhere', 'git'].includes(placeOf(path, call.cwd)))
        )
      }),
      reason: 'The name of this program is hidden in a pattern or a variable. Write it out.',
    },
    {
      name: 'unreadable',
      any: true,
      denies: step => step.kind === 'unreadable',
      reason:
        'This command cannot be read to its end. Write it more simply, or put it into a script file and run that.',
    },
  ],
}
