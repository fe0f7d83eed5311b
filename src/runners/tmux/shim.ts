import { shellQuoted } from '../../core/format.ts'
import type { Command } from '../../core/ports.ts'

/** The files of one call. */
export const CALL_FILES = {
  prompt: 'prompt',
  agent: 'agent.sh',
  shim: 'shim.sh',
  /** A pipe with all that the pane gets. */
  output: 'output',
  /** A pipe that the shim holds while the agent runs. The agent's pid comes through it. */
  life: 'life',
  go: 'go',
  exit: 'exit',
} as const

/** An escape sequence that terminals ignore. What the pane gets after it is not the agent's. */
export const endMark = (nonce: string): string => `\u001b]7770;${nonce}\u0007`

/**
 * What runs in the pane: `sh shim.sh FOLDER NONCE VIEW`. It runs the agent as a job of its own, so that whatever ends
 * the agent's group leaves the shim, which writes down the exit code and then shows the view.
 */
export const SHIM = `
PATH=$PATH:/usr/bin:/bin
cd / || exit
set -m
exec 3<>"$1/${CALL_FILES.life}"
env -i TERM="$TERM" /bin/sh "$1/${CALL_FILES.agent}"
code=$?
# A person may have pressed Ctrl+Z: then the job is still there. (A pipe would ask a subshell, which has no jobs.)
while jobs >"$1/jobs" && [ -s "$1/jobs" ]; do
  sleep 1
  fg >/dev/null 2>&1
  code=$?
done
printf '%s' "$code" >"$1/${CALL_FILES.exit}.part" && mv "$1/${CALL_FILES.exit}.part" "$1/${CALL_FILES.exit}"
printf '\\033]7770;%s\\007' "$2"
exec 3>&-
stty sane
printf '\\033c'
exec tail -n 100 -F "$3" 2>/dev/null
`

const WAITS = 2000

/**
 * What becomes the agent: writes down its pid, waits until ralph knows it, and leaves if ralph has died meanwhile. It has
 * the environment inside, so only the user may read it.
 */
export function agentScript(
  folder: string,
  { argv, cwd, env }: Command,
  prefix: readonly string[],
  ralph: number,
): string {
  const names = Object.keys(env).filter(name => name !== 'TERM')
  // What a shell cannot export is given by env, which becomes the agent at once.
  const odd = names.filter(name => !/^[A-Za-z_]\w*$/.test(name))
  const words = [
    ...(odd.length > 0 ? ['env', ...odd.map(name => `${name}=${env[name]}`)] : []),
    ...prefix,
    ...argv,
  ]
  return [
    'echo $$ >&3',
    'n=0',
    `until [ -e ${shellQuoted(`${folder}/${CALL_FILES.go}`)} ]; do`,
    `  kill -0 ${ralph} 2>/dev/null && [ $n -lt ${WAITS} ] || exit 125`,
    '  n=$((n + 1))',
    '  /bin/sleep 0.01 2>/dev/null || /bin/sleep 1',
    'done',
    `cd ${shellQuoted(cwd)} || exit 126`,
    'unset PWD OLDPWD SHLVL n',
    ...names.filter(name => !odd.includes(name)).map(name => `export ${name}=${shellQuoted(env[name]!)}`),
    `exec 3>&- <${shellQuoted(`${folder}/${CALL_FILES.prompt}`)}`,
    `exec ${words.map(shellQuoted).join(' ')}`,
    '',
  ].join('\n')
}
