import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime'
import type { Denial } from './denials.ts'

/** What ralph asks of the process that hosts the sandbox runtime, as lines of JSON. Each gets one answer. */
export type HostRequest =
  | { type: 'open'; runtime: string; config: SandboxRuntimeConfig }
  /** `filesystem`: the borders as they are now. `domains`: more hosts, for this command only. */
  | {
      type: 'wrap'
      command: string
      call: string
      filesystem: SandboxRuntimeConfig['filesystem']
      domains: readonly string[]
    }
  | { type: 'allow'; host: string }

/** `asked`: the number of the request, counted from 0. */
export type HostAnswer =
  | { asked: number; argv?: string[]; error?: string }
  /** Something inside tried what is not allowed. */
  | { denied: Denial }
