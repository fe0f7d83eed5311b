import { expect, it } from 'vitest'
import { setStage } from './scene.ts'

it('--verbose prints both files, the merged settings, and each step with its time', async () => {
  const stage = setStage({
    settings: { guardrails: [{ command: 'true' }], agent: { flags: ['--api-key SECRET'] } },
  })
  stage.write('.ralph/settings.local.json', '{ "maximumIterations": 4 }')
  const { stderr } = await stage.ralph('run', '-p', 'x', '-V')
  const lines = stderr.split('\n').filter(line => line.startsWith('[ralph] '))
  const place = (words: string) => lines.findIndex(line => line.startsWith(`[ralph] ${words}`))
  const places = [
    'Loading settings from .ralph/settings.json',
    'Loading settings from .ralph/settings.local.json',
    'Settings: {"maximumIterations":4,',
    'Agent command: claude -p ',
    'Iteration 1/4 starting',
    'Prompt: x',
    'Agent exited with code 0 (',
    'Completion (DONE): matched',
  ].map(place)
  expect(places).not.toContain(-1)
  expect([...places].sort((a, b) => a - b)).toEqual(places)
  expect(
    lines.filter(line => /^\[ralph\] Guardrail exited with code 0 \(\d+\.\ds\)$/.test(line)),
  ).toHaveLength(2)
  expect(stderr).not.toContain('SECRET')
})

it('a stack trace is printed only with --verbose', async () => {
  const stage = setStage({ settings: '[]' })
  expect((await stage.ralph('run', '-p', 'x')).stderr).toMatch(/^ralph: error: [^\n]+\n$/)
  expect((await stage.ralph('run', '-p', 'x', '-V')).stderr).toMatch(/^ralph: error: .*\n\s+at /)
})
