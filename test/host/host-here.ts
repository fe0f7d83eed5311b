import { randomBytes } from 'node:crypto'
import { type HostOptions, hostRun } from '../../src/host/host.ts'
import { limitsOf } from '../../src/workflows/spec.ts'
import type { Workflow } from '../../src/workflows/workflow.ts'
import { noFrontend } from './no-frontend.ts'

/** Runs end what has their id, so no two of them may share one, also not of two test runs on one machine. */
export const newRunId = (): string => `20260301-221530-${randomBytes(4).toString('hex')}`

// biome-ignore lint/suspicious/noExplicitAny: a test hosts workflows with specs of their own
type Given = Pick<HostOptions, 'id' | 'spec' | 'env'> & { workflow: Workflow<any> } & Partial<HostOptions>

/** Hosts a run in this process: a new one that nobody watches, within the limits of its settings, unless told otherwise. */
export const hostHere = (given: Given): Promise<number> =>
  hostRun({
    home: given.env.RALPH_HOME!,
    limits: limitsOf(given.spec.settings),
    past: [],
    warnings: [],
    frontend: noFrontend(),
    rows: [],
    ...given,
  })
