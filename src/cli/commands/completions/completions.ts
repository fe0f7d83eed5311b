import { join } from 'node:path'
import type { Command } from 'commander'
import { known } from '../../../agents/index.ts'
import { canGoOn, ralphHome, runIds } from '../../../runs/find.ts'
import { allWorkers } from '../../../runs/worker-record.ts'
import { readJournal } from '../../../store/journal.ts'
import { print } from '../../../terminal/print.ts'
import { plainLine } from '../../../view/text/plain.ts'
import type { Shell } from '../../verbs/upkeep.ts'
import { type Completion, findCompletions } from './find-completions.ts'

/** Enough to choose from. Older ones can be typed. Reading all of them would take too long. */
const RECENT = 30

export function printCompletions(shell: Shell): number {
  process.stdout.write(scriptFor(shell))
  return 0
}

/** Answers a completion script. */
export function offerCompletions(program: Command, words: readonly string[]): number {
  const completions = findCompletions(program, words, {
    agents: () => [...known.keys(), 'demo'].map(value => ({ value, about: '' })),
    workers: () => workersOf(ralphHome(process.env)),
    runs: command => recentRuns(ralphHome(process.env), command === 'resume' || command === 'build'),
  })
  const lines =
    completions.type === 'values'
      ? completions.values.map(({ value, about }) => `${value}\t${plainLine(about)}`)
      : [`:${completions.type}`]
  for (const line of lines) print(line)
  return 0
}

const workersOf = (home: string): Completion[] =>
  allWorkers(home).map(({ name, project }) => ({ value: name, about: project }))

/** The latest runs, newest first, each also by the name of its worker. A run that cannot be read is not offered. */
function recentRuns(home: string, unfinished: boolean): Completion[] {
  const ids = runIds(home).slice(-RECENT).reverse()
  const names = new Map(allWorkers(home).map(({ run, name }) => [run, name]))
  return ids.flatMap(id => {
    try {
      const events = readJournal(join(home, 'runs', id))
      const began = events[0]
      if (began?.type !== 'began' || (unfinished && !canGoOn(events))) return []
      const name = names.get(id)
      return [...(name === undefined ? [] : [name]), id].map(value => ({ value, about: began.project }))
    } catch {
      return []
    }
  })
}

/**
 * Each script only asks `ralph complete WORDS…`, so that a script that was installed long ago is never out of date. The
 * answer is a line `value<TAB>description` for each completion, or only `:files` or `:folders`. The words are passed on
 * unchanged and never evaluated, because a prompt may contain `$(…)`.
 */
const scriptFor = (shell: Shell): string => ({ bash: BASH, zsh: ZSH, fish: FISH })[shell]

const BASH = `# bash completion for ralph
_ralph() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while read -r line; do
    case $line in
      # Bash 3 has no compopt.
      :files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2")) ;;
      :folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$2")) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(ralph complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$2" </dev/null 2>/dev/null)
}
complete -F _ralph ralph
`

const ZSH = `#compdef ralph
compdef _ralph ralph

_ralph() {
  local line value tab=$'\\t'
  local -a lines offers
  lines=("\${(@f)$(ralph complete "\${(@)words[2,CURRENT]}" </dev/null 2>/dev/null)}")
  case $lines[1] in
    :files) compset -P '--*='; _files; return ;;
    :folders) compset -P '--*='; _files -/; return ;;
  esac
  for line in $lines; do
    value=\${line%%$tab*}
    offers+=("\${value//:/\\\\:}:\${line#*$tab}")
  done
  _describe 'ralph' offers
}

# Read as a function from fpath, rather than sourced: it is being asked already.
if [[ $funcstack[1] == _ralph ]]; then
  _ralph "$@"
fi
`

const FISH = `# fish completion for ralph
function __ralph_offers
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct)
    set -l lines (ralph complete $before "$current" </dev/null 2>/dev/null)
    set -l flag (string match -r -- '^--[^=]+=' "$current")
    set -l rest (string replace -r -- '^--[^=]+=' '' "$current")
    switch "$lines[1]"
        case ':files'
            for path in (__fish_complete_path "$rest")
                echo "$flag$path"
            end
        case ':folders'
            for path in (__fish_complete_directories "$rest")
                echo "$flag$path"
            end
        case '*'
            for line in $lines
                printf '%s\\n' $line
            end
    end
end
complete -c ralph -f -a '(__ralph_offers)'
`
