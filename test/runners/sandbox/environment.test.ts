import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { TYPICAL } from '../../support/typical-variables.ts'
import { missing, openPlace } from './place.ts'

/** A line of shell that keeps the environment. */
const keep = (who: string, project: string) => `mkdir -p '${project}/found'; env > '${project}/found/${who}'`

/** A project whose agent, judge, check and git hooks each keep the environment that they got. */
async function openScene(mode: 'none' | 'srt') {
  const place = openPlace('')
  const project = place.at('project')
  const keeps = (who: string) =>
    `case "$*" in *--help* | *--version*) exit 0 ;; esac\ncat > /dev/null\n${keep(who, project)}\n`
  place.addProgram('claude', `${keeps('claude')}echo 2 > work\necho '<response>DONE</response>'\n`)
  place.addProgram('codex', `${keeps('codex')}echo nothing\n`)
  place.settings({
    sandbox: { mode },
    baseline: false,
    guardrails: [{ command: keep('guardrails', project) }],
    agents: { judge: { command: 'codex' } },
    scm: { command: 'git', tasks: ['commit', 'push -q origin HEAD'] },
    env: { pass: ['PASSED_TOKEN'], drop: ['DROPPED'] },
  })
  writeFileSync(place.at('project/.env'), 'FROM_DOTENV=1\nANTHROPIC_API_KEY=of-the-project\n')
  mkdirSync(place.at('beside/remote'))
  await place.ready()
  const remote = place.at('beside/remote')
  const addHook = (name: string) =>
    `printf '#!/bin/sh\\n%s\\n' "${keep(name, project)}" > .git/hooks/${name} && chmod +x .git/hooks/${name}`
  const setUp = ['git init -q --bare', `'${remote}' && git remote add origin '${remote}' &&`]
  const hooks = `${addHook('pre-commit')} && ${addHook('pre-push')}`
  await place.run(['sh', '-c', `${setUp.join(' ')} ${hooks}`])
  const run = ['run', '-p', 'work', '--once', '--trust', '-a', 'claude', '--no-stream-agent-output']
  const got = (who: string): Record<string, string> =>
    Object.fromEntries(
      readFileSync(place.at(`project/found/${who}`), 'utf8')
        .split('\n')
        .map(line => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    )
  return { ralph: (...words: string[]) => place.ralph(words, TYPICAL), run, got, place }
}

type Fact = { of: string; gets: string[]; replaced?: string[] }

/** What doctor calls them, and who they are. */
const RECEIVERS = {
  claude: ['claude'],
  codex: ['codex'],
  guardrails: ['guardrails', 'pre-commit'],
  push: ['pre-push'],
}

describe.each(['none', 'srt'] as const)('with the sandbox %s', mode => {
  test.skipIf(mode === 'srt' && missing !== null)(
    'each of 40 variables reaches whom doctor says, and a .env nobody',
    { timeout: 60_000 },
    async () => {
      const { ralph, run, got, place } = await openScene(mode)
      const ran = await ralph(...run)
      expect(ran.stdout + ran.stderr).toContain('done')
      const semantic = [{ verify: 'semantic', config: { check_for: ['it works'] } }]
      place.settings({
        sandbox: { mode },
        baseline: false,
        guardrails: semantic,
        agents: { judge: { command: 'codex' } },
        env: { pass: ['PASSED_TOKEN'], drop: ['DROPPED'] },
      })
      await ralph(...run)
      const told = JSON.parse((await ralph('doctor', '--env', '--json')).stdout) as { environment: Fact[] }
      for (const { of, gets, replaced = [] } of told.environment)
        for (const who of RECEIVERS[of as keyof typeof RECEIVERS]) {
          const env = got(who)
          const has = (name: string) =>
            env[name] === undefined ? 'nothing' : env[name] === TYPICAL[name] ? 'it' : 'another'
          const expected = (name: string) =>
            gets.includes(name) ? 'it' : replaced.includes(name) ? 'another' : 'nothing'
          for (const name of Object.keys(TYPICAL))
            expect(`${name}: ${has(name)}`, who).toBe(`${name}: ${expected(name)}`)
          expect(env).not.toHaveProperty('FROM_DOTENV')
          expect(env.ANTHROPIC_API_KEY).not.toBe('of-the-project')
        }
      expect(told.environment.map(({ of }) => of)).toEqual(
        mode === 'srt' ? ['claude', 'codex', 'guardrails', 'push'] : ['claude', 'codex', 'guardrails'],
      )
    },
  )
})
