import { shellQuoted } from '../format.ts'

/** How a promise is verified. The names are those of task files and settings, so nothing has to be translated. */
export const METHODS = ['string_match', 'semantic', 'external', 'multi_stage'] as const

export type Method = (typeof METHODS)[number]

/** A shell command and what it must do. */
export type ExternalConfig = {
  command: string
  success_exit_code: number
  /** The output must contain this. */
  output_contains?: string
  /** The output must not contain this. */
  output_not_contains?: string
  /** In seconds. */
  timeout: number
  /** Relative to the workspace, and inside it. */
  working_dir: string
}

/** Criteria that a judge decides. */
export type SemanticConfig = {
  check_for: readonly string[]
  /** Texts that show that the work is not complete, whatever their case. */
  negative_patterns: readonly string[]
  /** Where they are looked for: in the agent's final text, or in the lines that the diff adds. */
  in: 'text' | 'diff'
  model: string | null
}

/** One stage of a multi_stage verification; no stage of a table. `required: false`: if it fails, that is only a warning. */
export type VerificationStage = {
  name: string
  verification: SingleVerification
  required: boolean
  /** It may run together with the stages beside it that may, too. */
  parallel: boolean
}

export type MultiStageConfig = {
  stages: readonly VerificationStage[]
  /** `false`: all stages run, and all failures are listed. */
  require_all: boolean
}

export type SingleVerification =
  /** The promise itself: `promise` is the text that must be in the agent's final text. */
  | { method: 'string_match'; promise: string }
  | { method: 'external'; config: ExternalConfig }
  | { method: 'semantic'; config: SemanticConfig }

/** What must hold before a claim counts. */
export type Verification = SingleVerification | { method: 'multi_stage'; config: MultiStageConfig }

/** Something that must hold before a claim counts. */
export type Criterion = {
  /** The name of its check. */
  name: string
  verification: Verification
  /** How a failure begins, if not with `Verification failed`. */
  failed?: string
  /** The acceptance is at stake: a judge is asked twice. */
  isLast?: boolean
  /** The tree that the work is compared with, if not the one that the run began with. */
  since?: string
}

/** The command lines that a verification runs, for trust. */
export function verificationCommands(verification: Verification): string[] {
  switch (verification.method) {
    case 'external':
      return [verification.config.command]
    case 'multi_stage':
      return verification.config.stages.flatMap(stage => verificationCommands(stage.verification))
    default:
      return []
  }
}

/** Ready-made external verifications by name. What they take is in their config. */
type Template = (config: Readonly<Record<string, unknown>>) => Expanded

/** A config for `external`, or what is wrong with the template's own, by key. */
type Expanded = { config: Record<string, unknown> } | { key: string; problem: string }

const always =
  (command: string): Template =>
  config =>
    'command' in config
      ? { key: 'command', problem: 'is part of the template; use "external" for a command of your own' }
      : { config: { command, ...config } }

const fileExists: Template = ({ path, ...config }) => {
  const paths = Array.isArray(path) ? path : [path]
  if (paths.length === 0 || !paths.every(one => typeof one === 'string' && one !== ''))
    return { key: 'path', problem: 'must be a file name or a list of them' }
  return { config: { command: paths.map(one => `test -f ${shellQuoted(one)}`).join(' && '), ...config } }
}

const httpOk: Template = ({ url, status = 200, ...config }) => {
  if (typeof url !== 'string' || !/^https?:\/\/\S+$/.test(url))
    return { key: 'url', problem: 'must be an address that begins with http:// or https://' }
  if (!Number.isInteger(status)) return { key: 'status', problem: 'must be an HTTP status such as 200' }
  const command = `curl -sS -o /dev/null -w 'status %{http_code}\\n' --max-time 30 ${shellQuoted(url)}`
  return { config: { command, output_contains: `status ${status}`, ...config } }
}

export const TEMPLATES: Readonly<Record<string, Template>> = {
  'tests:npm': always('npm test'),
  'tests:pytest': always('pytest'),
  'tests:go': always('go test ./...'),
  'tests:cargo': always('cargo test'),
  'lint:eslint': always('npx --no-install eslint .'),
  'lint:ruff': always('ruff check .'),
  'types:tsc': always('npx --no-install tsc --noEmit'),
  'file-exists': fileExists,
  'http-ok': httpOk,
}
