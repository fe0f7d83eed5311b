import type { RunEvent, TodoItem } from '../core/events.ts'
import type { Parser } from '../core/ports.ts'
import type { Morning } from '../view/morning/model.ts'
import type { ShownWorkflow } from '../view/screens/run-facts.ts'

type Began = Extract<RunEvent, { type: 'began' }>

/** A list that people may edit: where its file is, and how it reads. It reads as null while it is no list. */
export type ShownList = { path: string; read(text: string): readonly TodoItem[] | null }

/** What the screens need of the rest of ralph. */
export type UiPorts = {
  home: string
  env: NodeJS.ProcessEnv
  workflowOf(began: Began): ShownWorkflow
  /** The name of the worker that a run is. Null if it is none. */
  workerOf(run: string): string | null
  /** The run's session folder. */
  sessionOf(began: Began): string
  listOf(began: Began): ShownList | null
  /** The prompt file, which people may edit. Null if it has none. */
  promptOf(began: Began): string | null
  /** Reads the stream of one of the run's agents. */
  parserOf(began: Began, agent: string): Parser
  /** What the runs of the last night did. */
  morning(now: number): Morning
  /** What a run changed, as git shows it. */
  diffOf(run: string): Promise<string>
  /** Throws what a command would fail with. */
  steer: Steer
}

/** `name`: the worker's name, or the run's id. Each resolves to what is said about it. */
type Steer = {
  steer(name: string, verb: 'pause' | 'resume' | 'cancel' | 'kill'): Promise<string>
  tell(name: string, text: string, task: string | undefined): Promise<string>
  skip(name: string, task: string): Promise<string>
  decide(name: string, story: string, isApproved: boolean, why: string): Promise<string>
  allow(name: string, host: string): Promise<string>
  undo(name: string): Promise<string>
}
