import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { Tool } from '../support/loopback-model.mjs'
import { scratch } from '../support/scratch.ts'

/** Where the pinned programs are. */
export const BIN = join(import.meta.dirname, 'node_modules', '.bin')

type RealCli = {
  model: string
  /** What points it at the model, with a dummy key, and keeps it from asking anyone else. */
  env(url: string): Record<string, string>
  /** The files it needs in its home, by their path there. */
  files(url: string): Record<string, string>
  /** How its shell tool is called. */
  shell(command: string): Tool
  /** Whether its stream tells how many tokens a call took. */
  countsTokens: boolean
}

/** How each CLI is pointed at the model, and how it works there. Amp is not here: its loop runs on its own server. */
export const CLIS: Record<string, RealCli> = {
  claude: {
    model: 'claude-opus-5-5',
    env: url => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: () => ({}),
    shell: command => ({ name: 'Bash', input: { command, description: 'work' } }),
    countsTokens: true,
  },
  codex: {
    model: 'gpt-5.5',
    env: () => ({ OPENAI_API_KEY: 'dummy' }),
    files: url => ({
      '.codex/config.toml': `model_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`,
    }),
    shell: command => ({ name: 'exec_command', input: { cmd: command } }),
    countsTokens: true,
  },
  opencode: {
    model: 'mock/mock-model',
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    files: url => ({
      '.config/opencode/opencode.json': JSON.stringify({
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
            models: { 'mock-model': {} },
          },
        },
      }),
    }),
    shell: command => ({ name: 'bash', input: { command, description: 'work' } }),
    countsTokens: true,
  },
  gemini: {
    model: 'gemini-2.5-pro',
    env: url => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'dummy' }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    }),
    shell: command => ({ name: 'run_shell_command', input: { command, description: 'work' } }),
    countsTokens: true,
  },
  copilot: {
    model: 'mock-model',
    env: url => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    files: () => ({}),
    shell: command => ({ name: 'bash', input: { command, description: 'work' } }),
    countsTokens: false,
  },
}

/** Gives a CLI the home it needs. */
export function furnish(cli: RealCli, home: string, url: string): void {
  for (const [path, text] of Object.entries(cli.files(url))) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  shareLearned(home)
}

/** A project in git with these settings, a home beside it, and the environment in which ralph finds the pinned programs. */
export function openRealPlace(settings: object = {}) {
  const root = scratch('ralph-real-')
  const project = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(join(project, '.ralph'), { recursive: true })
  mkdirSync(home)
  writeFileSync(join(project, '.ralph', 'settings.json'), JSON.stringify(settings))
  execFileSync('git', ['init', '-q'], { cwd: project })
  const env = { HOME: home, RALPH_HOME: join(home, '.ralph'), PATH: `${BIN}:${process.env.PATH}` }
  return { root, project, home, env }
}

/** What a run told as NDJSON. */
export const eventsIn = (stdout: string): RunEvent[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

/** What ralph has learned of each CLI from its help, for which it starts it twice. */
const learned: Record<string, unknown> = {}

/** Lets ralph know in this home what it has learned in earlier tests: only the first of a worker asks a CLI. */
export function shareLearned(home: string): void {
  const cache = join(home, '.ralph', 'cache')
  const file = join(cache, 'capabilities.json')
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, JSON.stringify(learned))
  onTestFinished(() => void Object.assign(learned, JSON.parse(readFileSync(file, 'utf8'))))
}
