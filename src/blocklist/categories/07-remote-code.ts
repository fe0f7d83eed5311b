import { type Call, has, operands } from '../call.ts'
import { isFetcher } from '../effects.ts'
import { plainPath } from '../paths.ts'
import type { Category } from '../rule.ts'
import { PROCESS } from '../shell/shell.ts'
import { isShell } from '../wrappers.ts'

const LANGUAGES = /^(?:python|node|deno|bun|perl|ruby|php|osascript|pwsh|lua)$/

/** Whether it runs its input or its words: a shell, or a language without a file of its own. */
export function runsInput(call: Call): boolean {
  if (/^(?:source|\.|eval)$/.test(call.name) || isShell(call.name)) return true
  return (
    LANGUAGES.test(call.name) &&
    !has(call, 'c e m') &&
    operands(call.args).every(arg => arg === '-' || arg === '/dev/stdin' || arg === PROCESS)
  )
}

/** Whether its script comes by the pipe, not from a file or its words. */
const readsPipe = (call: Call): boolean =>
  !has(call, 'c') &&
  (has(call, 's') || operands(call.args, '-o -O').every(arg => arg === '-' || arg === '/dev/stdin'))

const isSocket = ({ target }: { target: string }): boolean => /^\/dev\/(?:tcp|udp)\//.test(target)

function servesShell(call: Call): boolean {
  if (!isShell(call.name)) return false
  const talks = ({ name }: Call) => /^(?:nc|ncat|netcat|socat|telnet)$/.test(name)
  return call.redirects.some(isSocket) || (readsPipe(call) && call.input.calls.some(talks))
}

function runsDownload(call: Call): boolean {
  if (call.fetched.size === 0) return false
  const [program = ''] = call.words
  const isInterpreter = isShell(call.name) || /^(?:source|\.|python|node|perl|ruby)$/.test(call.name)
  const ran = isInterpreter ? operands(call.args).slice(0, 1) : program.includes('/') ? [program] : []
  return ran.some(file => call.fetched.has(plainPath(file, call)))
}

export const remoteCodeCategory: Category = {
  number: 7,
  title: 'remote code into a shell',
  rules: {
    'pipe-to-shell': [
      'This runs what a server sends, unseen. Save it to a file, read it, and use a package manager if one has it.',
      {
        when: call =>
          runsInput(call) && call.name !== 'eval' && readsPipe(call) && call.input.calls.some(isFetcher),
      },
    ],
    'substitute-to-shell': [
      'This runs what a server sends, unseen. Save it to a file, read it, and use a package manager if one has it.',
      { when: call => runsInput(call) && call.within.some(isFetcher) },
    ],
    'reverse-shell': [
      'This gives another machine a shell on this one. Nothing in a task needs that.',
      { program: 'nc ncat netcat', text: /(?:^| )(?:-[a-z]*[ec](?: |$)|--(?:sh-)?exec)/ },
      { program: 'socat', text: /(?:^| )(?:exec|system):/i },
      { when: servesShell },
    ],
    'run-download': [
      'This runs what it has just fetched, unseen. Fetch it, read it, then decide in a command of its own.',
      { when: runsDownload },
    ],
    'remote-script': [
      'This runs code from a server, unseen. Add it as a dependency with a version, and read it first.',
      { program: 'deno', text: /^run (?:.* )?https?:/ },
      { program: 'mshta' },
    ],
  },
}
