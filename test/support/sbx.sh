#!/usr/bin/env bash
# Stands in for Docker's `sbx`. It takes only the words that its documentation knows, in an order that works, keeps a real
# clone, and runs commands in it for real. Where the real one has a machine with the project's own path, this has a folder,
# so it exchanges the two in what goes in and comes out. `SBX_STATE`: its folder; `sbx.ts` says what is in it. A shell, because
# a run makes twenty calls, and to start Node for each took most of the time.
# Paths and output are bytes here.
LC_ALL=C
state=$SBX_STATE

fail() {
  printf 'ERROR: %s\n' "$*" >&2
  exit 1
}

# The verbs, and for an exec the name of ralph's script.
title_of() {
  title=$1
  case $1 in
    policy | secret) title="$1 $2" ;;
    exec)
      local word
      for word; do
        [[ $word =~ ^ralph-[a-z]+$ ]] && title="exec $word" && return
      done
      ;;
  esac
}

# `ALONE VALUED WORD…`: takes the known flags off; those of the second list have a value. Gives `flags`, `variables` and `rest`.
parse() {
  local alone=$1 valued=$2
  shift 2
  declare -gA flags=()
  variables=() rest=()
  while (($# > 0)); do
    if [[ $1 != -* ]]; then
      rest+=("$1")
      # What follows a command is the command's.
      [[ $verb == exec ]] && rest=("$@") && return
    elif [[ " $alone " == *" $1 "* ]]; then
      flags[$1]=true
    elif [[ " $valued " == *" $1 "* ]]; then
      [[ $1 == -e ]] && variables+=("$2")
      flags[$1]=$2
      shift
    else
      fail "unknown flag: $1"
    fi
    shift
  done
}

# Gives `box`, the folder of a sandbox, and `path`, its project.
need() {
  box=$state/$1
  [[ -n $1 && -e $box/path ]] || fail "no sandbox named '$1'"
  IFS= read -r path < "$box/path"
}

# The clone is served at another port each time the sandbox starts.
serve() {
  local port daemon said
  until [[ -n $daemon ]]; do
    port=$((RANDOM % 12000 + 20000))
    env -i PATH="$PATH" SBX_STATE="$state" setsid git daemon --verbose --listen=127.0.0.1 --port=$port \
      --base-path="$box" --export-all --access-hook="$state/on-fetch" < /dev/null > "$box/served" 2>&1 &
    daemon=$!
    until read -r said < "$box/served" && [[ $said == *Ready* ]]; do
      kill -0 $daemon 2> /dev/null || { daemon= && break; }
      sleep 0.01
    done
  done
  echo $daemon > "$box/daemon"
  git -C "$path" config "remote.sandbox-${box##*/}.url" "git://127.0.0.1:$port/clone"
}

end_server() {
  local daemon
  read -r daemon < "$box/daemon"
  ((daemon > 1)) && kill -KILL -- "-$daemon" 2> /dev/null
}

sbx_version() {
  parse --json '' "$@"
  local number=v0.46.0
  [[ -e $state/version ]] && read -r number < "$state/version"
  printf '{"client":{"version":"%s"},"server":{"state":"running"}}\n' "$number"
}

sbx_diagnose() { :; }

sbx_ls() {
  parse --json '' "$@"
  local found agent status list
  for found in "$state"/*/path; do
    [[ -e $found ]] || continue
    found=${found%/path}
    need "${found##*/}"
    read -r agent < "$box/agent"
    read -r status < "$box/status"
    path=${path//\\/\\\\}
    list+=",{\"name\":\"${box##*/}\",\"agent\":\"$agent\",\"status\":\"$status\",\"workspaces\":[\"${path//\"/\\\"}\"]}"
  done
  printf 'Starting sandboxd daemon...\n{"sandboxes":[%s]}\n' "${list#,}"
}

sbx_policy() {
  local what=$1 general
  shift
  if [[ $what == init ]]; then
    [[ -e $state/policy ]] && fail 'the global policy is already initialized'
    [[ $1 == allow-all || $1 == balanced || $1 == deny-all ]] || fail "unknown policy: $1"
    echo "$1" > "$state/policy"
    return
  fi
  parse '' --sandbox "$@"
  [[ -n ${flags[--sandbox]} ]] || fail 'the rule would hold for all sandboxes'
  need "${flags[--sandbox]}"
  [[ ${rest[0]} == network && ${#rest[@]} == 2 ]] || fail 'usage: sbx policy allow network RESOURCES'
  case $what in
    check)
      read -r general < "$state/policy"
      if [[ $general == allow-all ]] || grep -qxF -e "${rest[1]}" "$box/allowed"; then
        echo "Allowed: ${rest[1]}"
      else
        echo "Denied: ${rest[1]}"
      fi
      ;;
    allow) printf '%s\n' "${rest[1]//,/$'\n'}" >> "$box/allowed" ;;
    *) fail "unknown command \"policy $what\"" ;;
  esac
}

sbx_secret() {
  local what=$1 value
  shift
  parse '' --sandbox "$@"
  [[ $what == set && ${#rest[@]} == 1 ]] || fail 'usage: sbx secret set SERVICE'
  [[ -n ${flags[--sandbox]} ]] || fail 'the secret would be in all sandboxes'
  need "${flags[--sandbox]}"
  IFS= read -rd '' value
  [[ -n $value ]] || fail 'no secret on standard input'
  printf %s "$value" > "$box/secrets/${rest[0]}"
}

sbx_create() {
  parse --clone --name "$@"
  [[ -e $state/policy ]] || fail 'the global network policy is not initialized'
  local name=${flags[--name]} agent=${rest[0]} folder
  path=${rest[1]}
  [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9.-]{0,61}[A-Za-z0-9]$ ]] || fail "invalid name: $name"
  box=$state/$name
  [[ ! -e $box/path ]] || fail "sandbox '$name' already exists"
  [[ $agent =~ ^(claude|codex|copilot|gemini|opencode|shell)$ ]] || fail "unknown agent: $agent"
  [[ -n ${flags[--clone]} ]] || fail 'this would share the working tree'
  [[ -d $path/.git ]] || fail '--clone cannot be used in a worktree'
  for folder in "${rest[@]:2}"; do
    [[ $folder == *:ro && -e ${folder%:ro} ]] || fail "$folder is not read-only"
  done
  mkdir -p "$box/home" "$box/secrets"
  git clone -q "$path" "$box/clone" > /dev/null 2>&1 || fail 'clone failed'
  echo "$agent" > "$box/agent"
  echo running > "$box/status"
  : > "$box/allowed"
  echo "$path" > "$box/path"
  git -C "$path" config "remote.sandbox-$name.fetch" "+refs/heads/*:refs/remotes/sandbox-$name/*"
  git -C "$path" config --add "remote.sandbox-$name.fetch" "+refs/heads/*:refs/sandboxes/$name/*"
  serve
}

sbx_exec() {
  parse -i '-u -w -e' "$@"
  need "${rest[0]}"
  local clone=$box/clone status word where out err code waited to given=() command=()
  read -r status < "$box/status"
  if [[ $status != running ]]; then
    echo running > "$box/status"
    serve
  fi
  for word in "${variables[@]}"; do
    if [[ $word == *=* ]]; then
      given+=("${word//"$path"/"$clone"}")
    else
      given+=("$word=${!word-}")
    fi
  done
  for word in "${rest[@]:1}"; do command+=("${word//"$path"/"$clone"}"); done
  where=${flags[-w]-$path}
  cd "${where//"$path"/"$clone"}" 2> /dev/null || fail "no such directory: $where"
  [[ -n ${flags[-i]} ]] || exec < /dev/null
  to=${path//\\/\\\\}
  to=s$'\1'$clone$'\1'${to//&/\\&}$'\1'g
  exec 3> >(exec sed -u "$to")
  out=$!
  exec 4> >(exec 3>&-; exec sed -u "$to" >&2)
  err=$!
  # In a session of its own: no signal from outside reaches what runs inside.
  setsid env -i PATH="${SBX_PATH-/usr/local/bin:/usr/bin:/bin}" HOME="$box/home" SANDBOX_NAME="${box##*/}" \
    "${given[@]}" "${command[@]}" >&3 2>&4 3>&- 4>&-
  code=$?
  exec 3>&- 4>&-
  # What it left running may hold its output.
  for ((waited = 0; waited < 50; waited++)); do
    kill -0 $out 2> /dev/null || kill -0 $err 2> /dev/null || break
    sleep 0.01
  done
  kill $out $err 2> /dev/null
  exit $code
}

sbx_stop() {
  [[ $# == 1 ]] || fail 'one at a time'
  need "$1"
  echo stopped > "$box/status"
  end_server
}

sbx_rm() {
  parse --force '' "$@"
  [[ -n ${flags[--force]} ]] || fail 'stdin is not a terminal; use --force'
  need "${rest[0]}"
  git -C "$path" remote remove "sandbox-${rest[0]}" > /dev/null 2>&1
  end_server
  rm -rf "$box"
}

verb=$1
title_of "$@"
[[ -d $state ]] || fail 'SBX_STATE is not set'
printf '%s\0' $# "$@" >> "$state/calls"
[[ -e "$state/plan/$title" ]] && read -r planned < "$state/plan/$title"
case $planned in
  '') ;;
  hang) exec sleep 1000000 ;;
  # It does its work, and fails all the same.
  'late '*) trap 'fail "${planned#late }"' EXIT ;;
  *) fail "$planned" ;;
esac
[[ $(type -t "sbx_$verb") == function ]] || fail "unknown command \"$verb\""
shift
"sbx_$verb" "$@"
exit 0
