export type Tool = { name: string; input: unknown; id?: string; custom?: boolean }

/** One scripted answer of the model; the head of loopback-model.mjs explains the fields. */
export type Turn = {
  text?: string
  thinking?: string
  tools?: Tool[]
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number }
  delayMs?: number
  chunkDelayMs?: number
  times?: number
  status?: number
  error?: { type?: string; message?: string; code?: string }
  headers?: Record<string, string>
  body?: unknown
  failed?: { code: string; message: string }
  empty?: boolean
  drop?: boolean
  cut?: boolean
  hang?: boolean
  when?: string
}

export type Request = { kind: 'main' | 'aux' | 'other'; url: string; body: unknown }

export function startMockModel(
  script: { turns: Turn[] } | Turn[] | { answer(body: unknown): Turn },
): Promise<{
  url: string
  requests: Request[]
  close(): Promise<void>
}>
