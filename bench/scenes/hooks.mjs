import { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compare, measure } from '../measure.mjs'
import { env, f, line, root, row } from '../setting.mjs'

/** The plugin's hooks. */
export async function hooks() {
  const transcript = join(root, 'transcript.jsonl')
  writeFileSync(transcript, '')
  truncateSync(transcript, 100e6)
  const usage = { input_tokens: 60_000 }
  writeFileSync(transcript, `\n${line({ type: 'assistant', message: { model: 'm', usage } })}`, {
    flag: 'a',
  })
  const input = join(root, 'hook.json')
  writeFileSync(
    input,
    line({ session_id: 's', transcript_path: transcript, cwd: root, hook_event_name: 'PostToolUse' }),
  )
  const bash = join(root, 'bash.json')
  writeFileSync(bash, line({ tool_name: 'Bash', tool_input: { command: 'npm test && git commit -am "x"' } }))
  const activity = join(root, 'activity.ndjson')
  const call =
    (from, ...words) =>
    async () => {
      writeFileSync(activity, '')
      const fd = openSync(from)
      try {
        return await measure([process.execPath, ...words], {
          env: { ...env, RALPH_ACTIVITY: activity },
          stdio: [fd, 'ignore', 'ignore'],
        })
      } finally {
        closeSync(fd)
      }
    }
  const ms = await compare(25, [
    { name: 'node -e 0', run: call(input, '-e', '0') },
    { name: 'context, 100 MB transcript', run: call(input, 'plugin/hooks/context.js') },
    { name: 'stop, outside a story loop', run: call(input, 'plugin/hooks/stop.js') },
    { name: 'a command judged', run: call(bash, 'plugin/hooks/pre-tool-use.js') },
  ])
  row('hooks', 'ms', 'x node', 'goal')
  for (const [name, value] of Object.entries(ms)) row(name, f(value), f(value / ms['node -e 0'], 2), '1.50')
}
