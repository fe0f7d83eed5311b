/**
 * Reads a pipe that only ralph holds: its end means that ralph has died. Then it ends everything that carries the mark
 * ($1=$2) or the limit of file locks ($3), the running groups (the first line of file 3), and all their descendants. It
 * uses only POSIX sh and tools (dash accepts no `--` before a group), but with `grep -z` it reads all environments at once.
 */
export const WARDEN_SCRIPT = `
trap '' INT TERM HUP
mark=$1=$2 limit=$3
read -r word && exit 0
read -r groups <&3

if [ -r /proc/self/environ ]; then
  if printf 'a\\0b\\0' | grep -qzxF b 2>/dev/null; then
    named() { grep -lszxF -e "$mark" /proc/[0-9]*/environ | awk -F/ '{ print $3 }'; }
  else
    named() {
      for file in /proc/[0-9]*/environ; do printf '@%s\\0' "$file"; cat "$file"; done 2>/dev/null |
        tr '\\n\\0' '\\1\\n' |
        awk -F/ -v mark="$mark" '$1 == "@" && $4 == "environ" { pid = $3 } $0 == mark { print pid }'
    }
  fi
  limited() {
    grep -lsE "^Max file locks +[0-9]+ +$limit " /proc/[0-9]*/limits | awk -F/ '{ print $3 }'
  }
  marked() { named; [ -z "$limit" ] || limited; }
  table() {
    grep -sE '^(State|PPid|NSpgid):' /proc/[0-9]*/status /dev/null | awk -F'[/:\\t ]+' '
      $5 == "State" { lives = $6 !~ /[ZX]/ }
      $5 == "PPid" && lives { parent[$3] = $6 }
      $5 == "NSpgid" { group[$3] = $6 }
      END { for (p in parent) print p, parent[p], group[p] }'
  }
else
  marked() { ps -axEww -o pid=,command= | awk -v mark="$mark" 'index($0 " ", " " mark " ") { print $1 }'; }
  table() { ps -axo pid=,ppid=,pgid=,stat= | awk '$4 !~ /^Z/ { print $1, $2, $3 }'; }
fi

family() {
  table | awk -v self=$$ -v seeds="$*" -v groups="$groups" '
    BEGIN {
      n = split(seeds, s, " "); for (i = 1; i <= n; i++) ours[s[i]] = 1
      n = split(groups, g, " "); for (i = 1; i <= n; i++) flying[g[i]] = 1
    }
    { parent[$1] = $2; if ($3 in flying) ours[$1] = 1 }
    END {
      do { more = 0; for (p in parent) if (!(p in ours) && (parent[p] in ours)) { ours[p] = 1; more = 1 } } while (more)
      for (p in parent) if ((p in ours) && p + 0 > 1 && p != self) print p
    }'
}
signal() {
  for g in $groups; do kill "-$1" "-$g"; done
  [ -z "$all" ] || kill "-$1" $all
} 2>/dev/null

all=$(family $(marked))
signal TERM
sleep 0.3 2>/dev/null || sleep 1
round=0
while [ $round -lt 30 ]; do
  round=$((round + 1))
  all=$(family $all $(marked))
  [ -n "$all" ] || exit 0
  signal STOP
  all=$(family $all $(marked))
  signal KILL
  sleep 0.02 2>/dev/null
done
`
