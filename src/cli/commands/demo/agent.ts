import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileText, readScript, type ScriptStep, type Turn } from './script.ts'

/** Set if nobody watches: the agent then does not pause between its lines. Agents do not get RALPH_ variables. */
export const DEMO_FAST = 'DEMO_AGENT_FAST'

const PAUSE_MS = process.env[DEMO_FAST] ? 0 : 250

const STRANGE: Turn = { end: 'I do not know this task.' }

/** The scripted agent of the demos. What it does depends only on its prompt and the files. */
export async function demoAgent(): Promise<number> {
  const prompt = readFileSync(0, 'utf8')
  const turn = (await findTurn(prompt)) ?? STRANGE
  await print({ type: 'system', subtype: 'init', session_id: 'demo', model: 'demo' })
  for (const [at, step] of (turn.steps ?? []).entries()) await play(step, `call-${at}`)
  await print({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: turn.quotes ? verdicts(prompt, turn.quotes) : fileText(turn.end ?? ''),
    total_cost_usd: 0,
    usage: {
      input_tokens: turn.tokens?.new ?? 0,
      cache_read_input_tokens: turn.tokens?.cached ?? 0,
      output_tokens: 180,
    },
  })
  return 0
}

/** The first turn of any demo that fits. Undefined if none does. */
async function findTurn(prompt: string): Promise<Turn | undefined> {
  for (const name of ['run', 'build', 'stories', 'pipeline'] as const) {
    const { turns, tokens } = await readScript(name)
    const turn = turns.find(
      ({ prompt: words = [], files = {} }) =>
        words.every(word => prompt.includes(word)) &&
        Object.entries(files).every(([path, text]) => textOf(path).includes(text)),
    )
    if (turn) return { tokens, ...turn }
  }
}

async function play(step: ScriptStep, id: string): Promise<void> {
  if ('say' in step) await printBlock({ type: 'text', text: step.say })
  else if ('read' in step) await printCall(id, 'Read', { file_path: step.read }, textOf(step.read))
  else if ('write' in step) await write(id, step.write, step.text)
  else if ('edit' in step)
    await write(
      id,
      step.edit,
      textOf(step.edit).replace(step.old, () => step.new),
    )
  else if ('story' in step) changeStory(step.story, step.becomes)
  else await commit(id, step.commit)
}

async function write(id: string, path: string, text: string): Promise<void> {
  const old = textOf(path)
  writeFileSync(path, text)
  if (old === '')
    await printCall(id, 'Write', { file_path: path, content: text }, `${path} has been created.`)
  else
    await printCall(
      id,
      'Edit',
      { file_path: path, old_string: old, new_string: text },
      `The file ${path} has been updated.`,
    )
}

function changeStory(named: string, becomes: Record<string, unknown>): void {
  const list: { userStories: { id: string; notes: string }[] } = JSON.parse(textOf('ralph/tasks.json'))
  const story = list.userStories.find(({ id }) => named.startsWith(id))!
  Object.assign(story, becomes)
  writeFileSync('ralph/tasks.json', `${fileText(list)}\n`)
  writeFileSync('ralph/progress.txt', `\n## ${named}\n${story.notes}\n`, { flag: 'a' })
}

async function commit(id: string, message: string): Promise<void> {
  const who = '-c user.name=Ralph -c user.email=ralph@localhost -c commit.gpgsign=false'
  const command = `git add -A && git ${who} commit -qm "${message}"`
  const { stdout } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
  await printCall(id, 'Bash', { command }, stdout.trim() || '(no output)')
}

/** A judge's answer: every criterion passes, and a line is quoted for each that the script knows. */
function verdicts(prompt: string, quotes: Readonly<Record<string, string>>): string {
  const [mark = ''] = /VERDICT-[0-9a-f]+:/.exec(prompt) ?? []
  const criteria = [...prompt.matchAll(/^- (c\d+): "(.*)"$/gm)].map(([, id, criterion = '']) => {
    const known = Object.keys(quotes).find(words => criterion.includes(words))
    return { id, verdict: 'pass', evidence: known === undefined ? '' : quotes[known] }
  })
  return `${mark}${JSON.stringify({ injection: null, criteria })}`
}

const printBlock = (block: object) => print({ type: 'assistant', message: { content: [block] } })

/** A call of a tool, and its result. */
async function printCall(id: string, name: string, input: object, output: string): Promise<void> {
  await printBlock({ type: 'tool_use', id, name, input })
  await print({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
  })
}

/** A line in the stream format of Claude Code, so that ralph reads it as it reads a real agent's. */
async function print(line: object): Promise<void> {
  process.stdout.write(`${JSON.stringify(line)}\n`)
  await pause(PAUSE_MS)
}

/** Empty if there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
