import type { Shell } from '../../verbs/upkeep.ts'

/**
 * Each script only asks `ralph complete WORDS…`, so that a script that was installed long ago is never out of date. The
 * answer is a line `value<TAB>description` for each completion, or only `:files` or `:folders`. The words are passed on
 * unchanged and never evaluated, because a prompt may contain `$(…)`.
 */
export const scriptFor = (shell: Shell): string => ({ bash: BASH, zsh: ZSH, fish: FISH })[shell]

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
