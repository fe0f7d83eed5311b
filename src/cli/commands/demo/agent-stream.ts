import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Set if nobody watches: the agent then does not pause between its lines. Agents do not get RALPH_ variables. */
export const DEMO_FAST = 'DEMO_AGENT_FAST'

const PAUSE_MS = process.env[DEMO_FAST] ? 0 : 250

/** What a scripted agent does and prints, in the stream format of Claude Code, so that ralph reads it like a real one. */
export interface AgentStream {
  text(words: string): Promise<void>
  read(path: string): Promise<void>
  /** Also writes the file. */
  write(path: string, text: string): Promise<void>
  /** Also runs the command, in a shell. */
  run(command: string): Promise<void>
  end(result: string, tokens: { input: number; cached?: number }): Promise<void>
}

export async function openStream(): Promise<AgentStream> {
  let calls = 0
  const write = async (line: Record<string, unknown>) => {
    process.stdout.write(`${JSON.stringify(line)}\n`)
    await pause(PAUSE_MS)
  }
  const assistant = (block: Record<string, unknown>) =>
    write({ type: 'assistant', message: { content: [block] } })
  const tool = async (name: string, input: Record<string, unknown>, output: string) => {
    const id = `call-${++calls}`
    await assistant({ type: 'tool_use', id, name, input })
    await write({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
    })
  }
  await write({ type: 'system', subtype: 'init', session_id: 'demo', model: 'demo' })
  return {
    text: words => assistant({ type: 'text', text: words }),
    read: path => tool('Read', { file_path: path }, readFileSync(path, 'utf8')),
    async write(path, text) {
      const old = readIfThere(path)
      writeFileSync(path, text)
      if (old === null) await tool('Write', { file_path: path, content: text }, `${path} has been created.`)
      else
        await tool(
          'Edit',
          { file_path: path, old_string: old, new_string: text },
          `The file ${path} has been updated.`,
        )
    },
    async run(command) {
      const { stdout } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
      await tool('Bash', { command }, stdout.trim() || '(no output)')
    },
    end: (result, { input, cached = 0 }) =>
      write({
        type: 'result',
        subtype: 'success',
        is_error: false,
        result,
        total_cost_usd: 0,
        usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: 180 },
      }),
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
