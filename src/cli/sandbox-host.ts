/*
 * Hosts the sandbox runtime for one run, in a process of its own: the runtime marks files in its process's folder as
 * read-only and would leave stubs there, so that folder must be empty. It answers ralph's requests until its input ends.
 */
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { readDenial } from '../runners/sandbox/denials.ts'
import type { HostAnswer, HostRequest } from '../runners/sandbox/srt.ts'

type Runtime = typeof import('@anthropic-ai/sandbox-runtime')

let opened: Runtime['SandboxManager'] | null = null
/** Hosts that the user allowed during the run. */
const allowed = new Set<string>()

const say = (answer: HostAnswer): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

async function open({ runtime, config }: Extract<HostRequest, { type: 'open' }>): Promise<void> {
  const { SandboxManager, SandboxRuntimeConfigSchema } = (await import(
    pathToFileURL(runtime).href
  )) as Runtime
  // Opening it validates nothing.
  const read = SandboxRuntimeConfigSchema.safeParse(config)
  if (!read.success) {
    const [issue] = read.error.issues
    throw new Error(`its settings are refused: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  await SandboxManager.initialize(config, async ({ host }) => allowed.has(host), true)
  reportDenials(SandboxManager.getSandboxViolationStore())
  opened = SandboxManager
}

/** What is inside can say anything, as often as it likes. */
const MOST_REPORTED = 1000

/** Reports each thing that the runtime refused once. */
function reportDenials(store: ReturnType<Runtime['SandboxManager']['getSandboxViolationStore']>): void {
  const reported = new Set<string>()
  let seen = 0
  store.subscribe(violations => {
    const fresh = store.getTotalCount() - seen
    seen += fresh
    for (const { line, command } of fresh > 0 ? violations.slice(-fresh) : []) {
      const denied = readDenial(line, command ?? null, existsSync)
      const key = JSON.stringify(denied)
      if (!denied || reported.has(key) || reported.size >= MOST_REPORTED) continue
      reported.add(key)
      say({ denied })
    }
  })
}

async function answer(request: HostRequest): Promise<{ argv?: string[] }> {
  if (request.type === 'open') {
    await open(request)
    return {}
  }
  if (request.type === 'allow') {
    allowed.add(request.host)
    return {}
  }
  if (!opened) throw new Error('the sandbox is not open')
  const { command, call, filesystem, domains } = request
  if (domains.length > 0) opened.registerCommandNetworkLists(call, { allowedDomains: [...domains] })
  // The text of a command is what a refusal is reported with.
  const options = { commandId: call, commandText: call }
  const { argv } = await opened.wrapWithSandboxArgv(
    command,
    '/bin/sh',
    { filesystem },
    undefined,
    undefined,
    options,
  )
  return { argv }
}

let asked = 0
createInterface({ input: process.stdin })
  .on('line', line => {
    const number = asked++
    answer(JSON.parse(line) as HostRequest).then(
      value => say({ asked: number, ...value }),
      (error: Error) => say({ asked: number, error: error.message }),
    )
  })
  .on('close', () => {
    const leave = () => process.exit(0)
    if (opened) opened.reset().then(leave, leave)
    else leave()
  })
