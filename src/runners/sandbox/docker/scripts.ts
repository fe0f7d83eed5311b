/*
 * What ralph runs inside the sandbox itself, with `sh -c`, in the clone. The word after a script is its name, for people
 * who look at the processes. Inside is always Linux, with GNU's tools.
 */

/** Finds what carries the mark of a call: its name is `$mark`. */
const MARKED = `marked() { grep -lzxF "RALPH_INSIDE=$mark" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'; }`

/**
 * `NAME EMAIL PATTERN…`: the author of commits, and what git ignores inside besides: ralph's own files, or an agent would
 * commit them. Prints where the clone is.
 */
export const PREPARE = `set -e
git config --global user.name "$1"
git config --global user.email "$2"
shift 2
dir=$(git rev-parse --git-dir)
mkdir -p "$dir/info"
printf '%s\\n' "$@" > "$dir/info/exclude"
git rev-parse --show-toplevel`

/**
 * `COMMIT HEAD BRANCH PATH…`, a bundle in base64 on standard input: makes the files those of the commit, HEAD and branch
 * as they are outside. Ignored files stay, except for the paths. What is overwritten was taken before.
 */
export const PUT = `set -e
commit=$1 head=$2 branch=$3
shift 3
dir=$(git rev-parse --git-dir)
base64 -d > "$dir/ralph-bundle"
rm -f "$dir/index.lock"
git fetch -q --no-tags --no-write-fetch-head "$dir/ralph-bundle" '+refs/ralph/sandbox/*:refs/ralph/host/*'
rm -f "$dir/ralph-bundle"
git add -A --ignore-errors >/dev/null 2>&1 || :
for path; do git add -A -f -- "$path" >/dev/null 2>&1 || :; done
git -c core.hooksPath=/dev/null read-tree --reset -u "$commit"
if [ -n "$branch" ]; then
  git update-ref "refs/heads/$branch" "$head"
  git symbolic-ref HEAD "refs/heads/$branch"
else
  git update-ref --no-deref HEAD "$head"
fi
git reset -q`

/**
 * `CALL PATH…`: ends what the call left running, and makes a commit of everything in the clone, ignored files only if they
 * are among the paths. Prints the commit, HEAD and the branch, \`-\` for none.
 */
export const TAKE = `set -e
mark=$1
shift
${MARKED}
left=$(marked)
[ -z "$left" ] || kill -KILL $left 2>/dev/null || :
dir=$(git rev-parse --git-dir)
export GIT_INDEX_FILE="$dir/ralph-index"
rm -f "$GIT_INDEX_FILE" "$GIT_INDEX_FILE.lock"
head=$(git rev-parse -q --verify HEAD || :)
if [ -n "$head" ]; then git read-tree "$head"; else git read-tree --empty; fi
git add -A --ignore-errors >/dev/null 2>&1 || :
for path; do if [ -f "$path" ]; then git add -f -- "$path"; fi; done
work=$(git commit-tree "$(git write-tree)" \${head:+-p "$head"} -m 'Work inside the sandbox')
git update-ref refs/ralph/work "$work"
branch=$(git symbolic-ref -q --short HEAD || :)
echo "$work \${head:--} \${branch:--}"`

/** `CALL TENTHS`: asks what the call has running to end, waits for that many tenths of a second, then ends it. */
export const END = `mark=$1
${MARKED}
left=$(marked)
[ -n "$left" ] || exit 0
kill -TERM $left 2>/dev/null
tenths=0
while [ $tenths -lt $2 ]; do
  sleep 0.1
  [ -n "$(marked)" ] || exit 0
  tenths=$((tenths + 1))
done
kill -KILL $(marked) 2>/dev/null
exit 0`

/** `FOLDER COUNT (PATH TEXT)… COMMAND…`: runs a command in a folder that need not be there, after writing files for it. */
export const ELSEWHERE = `folder=$1 count=$2
shift 2
while [ "$count" -gt 0 ]; do
  mkdir -p "$(dirname "$1")" && printf %s "$2" > "$1" || exit 126
  shift 2
  count=$((count - 1))
done
mkdir -p "$folder" && cd "$folder" && exec "$@"`
