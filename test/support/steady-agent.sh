#!/bin/sh
# An agent whose work depends on nothing but the number of the iteration, which its prompt tells, less those that failed:
# however often it is interrupted or killed and called again, the tree comes out the same. Odd iterations leave the check
# red. The fourth commits its work itself; the sixth says that all is done. It leaves children behind that nobody asked for.
case "$*" in *--help | --version) exit 0 ;; esac
prompt=$(cat)
case $prompt in *"commit message"*) echo "Step $(cat step)"; exit 0 ;; esac
n=$(printf '%s\n' "$prompt" | sed -n 's/^Iteration \([0-9]*\) of .*/\1/p' | head -n 1)
[ -n "$n" ] || exit 1 # Ralph was killed before it had written the whole prompt.
failed=$(cat "$RALPH_HOME"/runs/*/journal.ndjson | grep -c '^{"type":"settled".*"end":"error"')
n=$((n - failed))
echo "$n" >> ../calls
setsid sh -c 'trap "" TERM; sleep 60' > /dev/null 2>&1 &
sleep 60 > /dev/null 2>&1 &

mkdir -p work
printf 'half' > "work/$n"
sleep 0.03
printf 'the work of iteration %s\n' "$n" > "work/$n"
echo "$n" > step
[ $((n % 2)) = 0 ] && echo green > state || echo red > state
if [ "$n" = 4 ]; then
  git add -A || exit 1
  git diff --cached --quiet || git commit -q -m 'By the agent' || exit 1
fi

say='more'
[ "$n" = 6 ] && say='Done. <response>DONE</response>'
echo '{"type":"system","subtype":"init","session_id":"s"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$say"'","session_id":"s","total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":'"$n"'}}'
