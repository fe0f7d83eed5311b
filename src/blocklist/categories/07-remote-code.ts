import { type Call, has, operands } from '../call.ts'
import { isFetcher } from '../downloads.ts'
import { plainPath } from '../paths.ts'
import { type Category, onCall, programs } from '../rule.ts'
import { PROCESS } from '../shell/shell.ts'
import { isShell } from '../wrappers.ts'

/** Whether it runs what it is given: a shell, or a language without a file of its own. */
export function runsInput(call: Call): boolean {
  if (call.name === 'source' || call.name === '.' || call.name === 'eval') return true
  if (isShell(call.name)) return true
  if (!/^(?:python[\d.]*|node|deno|bun|perl|ruby|php|osascript|pwsh|lua)$/.test(call.name)) return false
  return (
    operands(call.args).every(arg => arg === '-' || arg === '/dev/stdin' || arg === PROCESS) &&
    !has(call, 'c', 'e', 'm')
  )
}

export const remoteCodeCategory: Category = {
  number: 7,
  title: 'remote code into a shell',
  programs: programs('nc ncat netcat socat deno mshta pwsh powershell'),
  rules: [
    {
      name: 'pipe-to-shell',
      any: true,
      denies: onCall(
        call =>
          runsInput(call) && call.name !== 'eval' && readsPipe(call) && call.input.calls.some(isFetcher),
      ),
      reason:
        'This runs what a server sends, unseen. Save it to a file, read it, and use a package manager if one has it.',
    },
    {
      name: 'substitute-to-shell',
      any: true,
      denies: onCall(call => runsInput(call) && call.within.some(isFetcher)),
      reason:
        'This runs what a server sends, unseen. Save it to a file, read it, and use a package manager if one has it.',
    },
    {
      name: 'reverse-shell',
      any: true,
      denies: onCall(
        call =>
          (/^(?:nc|ncat|netcat)$/.test(call.name) &&
            call.args.some(arg => /^-[a-z]*[ec]$|^--(?:exec|sh-exec)/.test(arg))) ||
          (call.name === 'socat' && call.args.some(arg => /^(?:exec|system):/i.test(arg))) ||
          (isShell(call.name) && call.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target))) ||
          (isShell(call.name) &&
            readsPipe(call) &&
            call.input.calls.some(inner => /^(?:nc|ncat|netcat|socat|telnet)$/.test(inner.name))),
      ),
      reason: 'This gives another machine a shell on this one. Nothing in a task needs that.',
    },
    {
      name: 'run-download',
      any: true,
      denies: onCall(
        call =>
          call.fetched.size > 0 && ranFiles(call).some(file => call.fetched.has(plainPath(file, call.cwd))),
      ),
      reason:
        'This runs what it has just fetched, unseen. Fetch it, read it, then decide in a command of its own.',
    },
    {
      name: 'remote-script',
      denies: onCall(
        call =>
          (call.name === 'deno' && call.args[0] === 'run' && call.args.some(arg => /^https?:/.test(arg))) ||
          call.name === 'mshta' ||
          (/^(?:pwsh|powershell)$/.test(call.name) &&
            /\b(?:iex|invoke-expression)\b/i.test(call.args.join(' '))),
      ),
      reason:
        'This runs code from a server, unseen. Add it as a dependency with a version, and read it first.',
    },
  ],
}

/** Whether its script comes by the pipe, not from a file or its words. */
const readsPipe = (call: Call): boolean =>
  !has(call, 'c') &&
  (has(call, 's') || operands(call.args, ['-o', '-O']).every(arg => arg === '-' || arg === '/dev/stdin'))

function ranFiles({ name, words, args }: Call): string[] {
  if (isShell(name) || /^(?:source|\.|python[\d.]*|node|perl|ruby)$/.test(name))
    return operands(args).slice(0, 1)
  return words[0]?.includes('/') ? [words[0]] : []
}
