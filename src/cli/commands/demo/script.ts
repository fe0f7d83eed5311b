import { template } from '../../../workflows/stories/templates.ts'
import type { DemoName } from '../../verbs/begin.ts'

/** One thing that the scripted agent does. */
export type ScriptStep =
  | { say: string }
  | { read: string }
  | { write: string; text: string }
  | { edit: string; old: string; new: string }
  /** The story's id and the mode, and what changes of the story in the list. Its notes go into the progress file. */
  | { story: string; becomes: Record<string, unknown> }
  | { commit: string }

type Tokens = { new: number; cached: number }

/** What the agent does at one prompt. */
export type Turn = {
  /** All of it is in the prompt. */
  prompt?: string[]
  /** Each file is there and has this text. */
  files?: Record<string, string>
  steps?: ScriptStep[]
  /** The agent's last words. */
  end?: string | object
  /** A judge's words: the line that it quotes for a criterion with these words. */
  quotes?: Record<string, string>
  tokens?: Tokens
}

/** A demo: its project, and what the agent does there. A text that is an object is written as JSON. */
type Script = {
  /** What is said before the run. DIR stands for the project's folder. */
  story: string
  /** Told after it: what to try in a project of one's own. */
  next: string
  /** The message of the project's first commit. */
  commit: string
  goal?: string
  files: Record<string, string | object>
  turns: Turn[]
  /** Of a turn that names none. */
  tokens?: Tokens
}

export async function readScript(name: DemoName): Promise<Script> {
  return (await import('yaml')).parse(template(`demo/${name}.yaml`))
}

export const fileText = (content: string | object): string =>
  typeof content === 'string' ? content : JSON.stringify(content, null, 2)

/** The project's files and their texts. */
export const projectFiles = ({ files }: Script): [path: string, text: string][] =>
  Object.entries(files).map(([path, content]) => [
    path,
    typeof content === 'string' ? content : `${fileText(content)}\n`,
  ])
