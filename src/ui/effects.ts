import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bytesFrom, LIMITS } from '../store/files/read.ts'
import { editorOf } from '../terminal/editor.ts'
import type { Effect, ScreenEffect } from '../view/screens/ui-state.ts'
import { plain, plainLine } from '../view/text/plain.ts'
import type { UiPorts } from './ports.ts'

type Asked = Exclude<Effect, ScreenEffect>

export type EffectOptions = {
  ports: UiPorts
  /** Sends a sequence to the terminal. */
  write(sequence: string): void
  /** Gives the terminal to a program until it ends. */
  lend(program: () => Promise<string>): Promise<string>
}

/** Does what a key asks for, as the command would; resolves to what to say about it. */
export async function actOn(effect: Asked, { ports, write, lend }: EffectOptions): Promise<string> {
  const { steer, workerOf, env } = ports
  switch (effect.type) {
    case 'steer':
      return steer.steer(workerOf(effect.run) ?? effect.run, effect.verb)
    case 'tell':
      return steer.tell(effect.run, effect.text, effect.task)
    case 'skip':
      return steer.skip(effect.run, effect.task)
    case 'decide':
      return steer.decide(effect.run, effect.story, effect.isApproved, effect.why)
    case 'allow':
      return steer.allow(effect.run, effect.host)
    case 'undo':
      return steer.undo(effect.run)
    case 'diff': {
      const text = await ports.diffOf(effect.run)
      return text.trim() === '' ? 'it changed nothing' : lend(() => viewText(`${effect.run}.diff`, text, env))
    }
    case 'edit':
      return lend(() => editFile(effect.path, env))
    case 'view':
      return lend(() => viewFile(effect.path, env))
    case 'copy':
      // Into the terminal's own clipboard. Not all terminals allow that, so the command is shown too.
      write(`\x1b]52;c;${Buffer.from(effect.text).toString('base64')}\x07`)
      return `copied: ${effect.text}`
    default:
      return effect satisfies never
  }
}

/** Opens a file in the user's editor, and waits until that is closed. A run of this process works on meanwhile. */
async function editFile(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const trouble = await run(editorOf(env), path, env)
  return trouble ?? `closed ${plainLine(path, 1000)}; the run reads it before its next step`
}

/** Opens the end of a file in the user's pager, as plain text: any pager may obey what an agent or a check has printed. */
async function viewFile(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return `${plainLine(path, 1000)} is not there any more`
  const from = Math.max(size - LIMITS.text, 0)
  return viewText(basename(path), bytesFrom(path, from, LIMITS.text).toString('utf8'), env)
}

/** The same for a text, by this name. */
async function viewText(name: string, text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-view-'))
  try {
    const copy = join(folder, name)
    writeFileSync(copy, plain(text), { mode: 0o600 })
    return (await run(env.PAGER || 'less', copy, env)) ?? ''
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Through a shell, because such a variable may hold arguments. Resolves to what went wrong. Null if nothing did. */
async function run(program: string, path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const child = spawn('/bin/sh', ['-c', `${program} "$1"`, 'sh', path], { stdio: 'inherit', env })
  const [code, signal] = await once(child, 'exit')
  return code === 0 ? null : `${plainLine(program)} failed (${signal ?? `exit ${code}`})`
}
