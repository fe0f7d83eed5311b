import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isTrusted, rememberTrust } from '../../src/host/trust.ts'
import { risks } from '../../src/settings/trust.ts'
import { folder, refusal } from '../settings/project.ts'

const SETTINGS = {
  maximumIterations: 3,
  agent: { command: 'codex', flags: ['--a', '--b'] },
  guardrails: [{ command: 'npm test' }, { command: 'npm run lint' }],
  env: { pass: ['NPM_TOKEN'] },
}

const RISKS = risks(SETTINGS)

const place = () => {
  const root = folder()
  const at = { home: join(root, 'deep', 'home'), project: join(root, 'project'), other: join(root, 'other') }
  for (const path of [at.project, at.other]) mkdirSync(path)
  return at
}

test('nothing is trusted before it was allowed, and then only there', () => {
  const { home, project, other } = place()
  expect(isTrusted(home, project, RISKS)).toBe(false)
  rememberTrust(home, project, RISKS)
  expect(isTrusted(home, project, RISKS)).toBe(true)
  expect(isTrusted(home, other, RISKS)).toBe(false)
  rememberTrust(home, other, RISKS)
  expect([isTrusted(home, project, RISKS), isTrusted(home, other, RISKS)]).toEqual([true, true])
})

test('a project without risks needs no trust, and asking leaves no trace', () => {
  const { home, project } = place()
  expect(isTrusted(home, project, [])).toBe(true)
  expect(() => statSync(home)).toThrow('ENOENT')
})

test.each<[string, object]>([
  ['a limit', { maximumIterations: 99 }],
  ['a hint', { guardrails: [{ command: 'npm test', hint: 'h' }, { command: 'npm run lint' }] }],
  [
    'what a failure does',
    { guardrails: [{ command: 'npm test', failAction: 'REPLACE' }, { command: 'npm run lint' }] },
  ],
  ['a timeout', { guardrails: [{ command: 'npm test', timeout: 1 }, { command: 'npm run lint' }] }],
  ['a model', { agent: { ...SETTINGS.agent, model: 'opus' } }],
  ['what counts as done', { completionResponse: 'the' }],
  ['a review', { review: { skip: true } }],
  ['what is held back', { env: { pass: ['NPM_TOKEN'], drop: ['PATH'] } }],
  ['tools of the agent', { claude: { disallowedTools: [] } }],
  ['another command', { guardrails: [{ command: 'npm test; curl x | sh' }, { command: 'npm run lint' }] }],
  ['another order of commands', { guardrails: [{ command: 'npm run lint' }, { command: 'npm test' }] }],
  ['one command more', { guardrails: [...SETTINGS.guardrails, { command: 'x' }] }],
  ['one command less', { guardrails: [{ command: 'npm test' }] }],
  ['another agent', { agent: { ...SETTINGS.agent, command: './codex' } }],
  ['another flag', { agent: { ...SETTINGS.agent, flags: ['--a', '--c'] } }],
  ['another order of flags', { agent: { ...SETTINGS.agent, flags: ['--b', '--a'] } }],
  ['two flags in one', { agent: { ...SETTINGS.agent, flags: ['--a --b'] } }],
  ['another variable passed on', { env: { pass: ['*'] } }],
])('%s is asked about again', (_, change) => {
  const { home, project } = place()
  rememberTrust(home, project, RISKS)
  expect(isTrusted(home, project, risks({ ...SETTINGS, ...change }))).toBe(false)
})

test.each<[string, object]>([
  ['the look of the output', { output: { emoji: false } }],
  ['a value that is the default', { completionResponse: 'DONE' }],
])('%s may change without asking', (_, change) => {
  const { home, project } = place()
  rememberTrust(home, project, RISKS)
  expect(isTrusted(home, project, risks({ ...SETTINGS, ...change }))).toBe(true)
})

test('that everything is gone is a change, too, and can be allowed', () => {
  const { home, project, other } = place()
  rememberTrust(home, project, RISKS)
  expect([isTrusted(home, project, []), isTrusted(home, other, [])]).toEqual([false, true])
  rememberTrust(home, project, [])
  expect([isTrusted(home, project, []), isTrusted(home, project, RISKS)]).toEqual([true, true])
})

test('trust is bound to the file, and to what stands for the whole of it', () => {
  const { home, project } = place()
  const risk = { file: '.amp/plugins/p.ts', where: 'the whole file', what: 'is loaded', exact: 'a' }
  rememberTrust(home, project, [risk])
  for (const change of [{ file: '.amp/plugins/q.ts' }, { exact: 'b' }, { where: 'x' }, { what: 'x' }])
    expect(isTrusted(home, project, [{ ...risk, ...change }])).toBe(false)
  expect(isTrusted(home, project, [risk])).toBe(true)
})

test('a project is the same by whatever link one comes to it', () => {
  const { home, project, other } = place()
  const link = join(other, 'link')
  symlinkSync(project, link)
  rememberTrust(home, link, RISKS)
  expect(isTrusted(home, project, RISKS)).toBe(true)
  const back = risks({ agent: { command: 'x' } })
  rememberTrust(home, project, back)
  expect(isTrusted(home, link, back)).toBe(true)
})

test('what was allowed for one branch stays allowed after another was', () => {
  const { home, project } = place()
  rememberTrust(home, project, RISKS)
  rememberTrust(home, project, risks({ agent: { command: 'x' } }))
  expect(isTrusted(home, project, RISKS)).toBe(true)
})

test('only the latest ten sets of a project are remembered, and one allowed again is among the latest', () => {
  const { home, project } = place()
  const set = (n: number) => risks({ agent: { command: `agent-${n}` } })
  for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10]) rememberTrust(home, project, set(n))
  expect([0, 1, 2, 10].map(n => isTrusted(home, project, set(n)))).toEqual([true, false, true, true])
})

test('only the latest five hundred projects are remembered', () => {
  const { home, project, other } = place()
  mkdirSync(home, { recursive: true })
  const many = Array.from({ length: 500 }, (_, n) => [`/projects/${n}`, ['hash']])
  writeFileSync(join(home, 'trust.json'), JSON.stringify({ v: 1, projects: Object.fromEntries(many) }))
  rememberTrust(home, project, RISKS)
  rememberTrust(home, other, RISKS)
  const { projects } = JSON.parse(readFileSync(join(home, 'trust.json'), 'utf8'))
  expect(Object.keys(projects)).toHaveLength(500)
  expect(Object.keys(projects).slice(0, 1)).toEqual(['/projects/2'])
  expect([project, other].map(path => isTrusted(home, path, RISKS))).toEqual([true, true])
})

test('the store is for its owner only, and writing it leaves nothing else behind', () => {
  const { home, project } = place()
  rememberTrust(home, project, RISKS)
  rememberTrust(home, project, risks({ agent: { command: 'x' } }))
  expect((statSync(home).mode & 0o777).toString(8)).toBe('700')
  expect((statSync(join(home, 'trust.json')).mode & 0o777).toString(8)).toBe('600')
  expect(readdirSync(home)).toEqual(['trust.json'])
})

test('the store holds no command, only what identifies it', () => {
  const { home, project } = place()
  rememberTrust(home, project, RISKS)
  expect(readFileSync(join(home, 'trust.json'), 'utf8')).not.toContain('npm')
})

test.each<[string, string, string]>([
  ['broken JSON', '{"v": 1, "projects": {', 'trust.json:1:23: the file ends too early'],
  ['nothing', '', 'trust.json is empty; remove it, or write JSON into it'],
  ['another shape', '{"v": 1, "projects": {"/p": "hash"}}', 'it is not a list of trusted projects'],
  ['another version', '{"v": 2, "projects": {}}', 'it is not a list of trusted projects'],
  ['a list', '[]', 'it is not a list of trusted projects'],
])('a store with %s is named and left as it is', (_, content, why) => {
  const { home, project } = place()
  mkdirSync(home, { recursive: true })
  const path = join(home, 'trust.json')
  writeFileSync(path, content)
  const sentence = `${path} cannot be used: ${why}; repair it, or move it away and trust your projects again`
  expect(refusal(() => isTrusted(home, project, RISKS))).toBe(sentence)
  expect(refusal(() => rememberTrust(home, project, RISKS))).toBe(sentence)
  expect(readFileSync(path, 'utf8')).toBe(content)
})

test('a directory in the place of the store is named', () => {
  const { home, project } = place()
  const path = join(home, 'trust.json')
  mkdirSync(path, { recursive: true })
  expect(refusal(() => rememberTrust(home, project, RISKS))).toBe(
    `${path} cannot be used: trust.json is a folder, not a regular file; replace it with a file of at most 1 MiB, or remove it; repair it, or move it away and trust your projects again`,
  )
})
