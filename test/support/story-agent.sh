# An agent for story loops, up to what it does in each call: the program that reads this goes on with that. A shell,
# because Node takes longer to start than all its work takes. It commits if $commits is yes. In the folder $seen it keeps
# what every call finds: a file <number>.prompt, .file, .marker, .gate, .env and .about. Calls that need Node are functions
# of $module.
case "$*" in *--help | --version) exit 0 ;; esac
set -e

n=1
while [ -e "$seen/$n.prompt" ]; do n=$((n + 1)); done
cat > "$seen/$n.prompt"
file=$RALPH_DIR/tasks.json

# One program for all of it: each more would take longer than its work.
about=$(awk -v out="$seen/$n" -v file="$file" -v gate="$RALPH_SNAPSHOT" '
  function copy(from, to, line) { while ((getline line < from) > 0) print line > to }
  match($0, /in one mode: \*\*[A-Za-z_-]+\*\*, story \*\*[^*]+\*\*/) {
    split(substr($0, RSTART, RLENGTH), part, /\*\*/)
    mode = part[2]
    id = part[4]
  }
  !mode { mode = word("mode") }
  !id { id = word("story") }
  function word(name, rest) {
    if (!match($0, "(^|[^A-Za-z0-9_])" name "=[^ \t]+")) return ""
    rest = substr($0, RSTART, RLENGTH)
    return substr(rest, index(rest, "=") + 1)
  }
  END {
    copy(file, out ".file")
    copy(".ralph-active", out ".marker")
    if (gate) copy(gate, out ".gate")
    for (name in ENVIRON) print name "=" ENVIRON[name] > (out ".env")
    print mode, id > (out ".about")
    print mode, id
  }' "$seen/$n.prompt")
mode=${about% *}
id=${about#* }

# Changes fields of the story that this call is about, each to a value in JSON; +1 counts up. It knows a file only as
# ralph writes it, and fails with any other.
edit() {
  awk -v id="$id" '
    BEGIN {
      for (at = 1; at < ARGC - 1; at += 2) {
        value[ARGV[at]] = ARGV[at + 1]
        wanted++
        ARGV[at] = ARGV[at + 1] = ""
      }
    }
    function change(line, name, was, comma) {
      name = substr(line, 8, index(substr(line, 8), "\"") - 1)
      if (line !~ /^      "/ || !(name in value)) return line
      comma = line ~ /,$/ ? "," : ""
      was = substr(line, index(line, ": ") + 2) + 0
      changed++
      return "      \"" name "\": " (value[name] == "+1" ? was + 1 : value[name]) comma
    }
    /^    [{]$/ { inside = 1 }
    !inside { print; next }
    { line[++lines] = $0 }
    $0 ~ "^      \"id\": \"" id "\",?$" { mine = 1 }
    /^    [}],?$/ {
      for (at = 1; at <= lines; at++) print mine ? change(line[at]) : line[at]
      inside = lines = mine = 0
    }
    END { exit changed != wanted }' "$@" "$file" > "$module.put"
  # In one go: killed within it, an honest agent would leave half a file, which is another story.
  mv "$module.put" "$file"
}

commit() {
  [ "$commits" = yes ] || return 0
  git add -A
  git commit -q --allow-empty -m "$1"
}

submit() {
  edit reviewStatus '"needs_review"' reviewFeedback '""' notes "\"$id.txt\""
  echo "$mode" >> "$id.txt"
  case $mode in
    implement) commit "feat: [$id] - the story" ;;
    *) commit "fix: [$id] - address review feedback" ;;
  esac
}

approve() {
  edit reviewStatus '"approved"' passes true reviewCount +1
  commit "review: [$id] - approved"
  verdict='\n<verdict>approved</verdict>'
}

reject() {
  edit reviewStatus '"changes_requested"' reviewCount +1 reviewFeedback "\"${1-$id.txt lacks a line}\""
  commit "review: [$id] - changes requested"
  verdict='\n<verdict>changes_requested</verdict>'
}

honest() {
  case $mode in review) approve ;; *) submit ;; esac
}

in_node() {
  exec "$node" "$agent" "$module" "$seen/$n"
}

# What it says is $said, in JSON.
answer() {
  printf '%s\n' '{"type":"system","subtype":"init","session_id":"s"}' \
    '{"type":"result","subtype":"success","is_error":false,"result":"'"${said-$mode $id$verdict}"'","session_id":"s","total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5}}'
}
