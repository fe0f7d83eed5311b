import { describe, expect, test } from 'vitest'
import { type Borders, BUNDLES, environmentInside, policyOf } from '../../../src/runners/sandbox/policy.ts'

const CLAUDE = {
  hosts: ['api.example'],
  addresses: ['MODEL_URL'],
  state: ['.claude', '.claude.json'],
  logins: ['.claude/login'],
  chatter: [],
}

const borders = (more: Partial<Borders> = {}): Borders => ({
  home: '/home/me',
  ralphHome: '/home/me/.ralph',
  folders: ['/home/me/shop'],
  git: ['/home/me/shop/.git'],
  links: [],
  temp: '/tmp/own',
  agents: [CLAUDE],
  logins: ['.claude/login', '.codex/login'],
  secrets: [],
  env: {},
  settings: { allowedDomains: [], allowWrite: [], denyRead: [] },
  ...more,
})

const everything = () => true
const policy = (more: Partial<Borders> = {}, exists: (path: string) => boolean = everything) =>
  policyOf(borders(more), exists)

describe('what may be written', () => {
  test("is the project, its git folder, a temporary folder and the agent's own files", () => {
    expect(policy().filesystem.allowWrite).toEqual([
      '/home/me/shop',
      '/home/me/shop/.git',
      '/tmp/own',
      '/home/me/.claude',
      '/home/me/.claude.json',
    ])
  })
  test('is never what git obeys', () => {
    expect(policy().filesystem.denyWrite).toEqual(
      ['hooks', 'config', 'config.worktree', 'info', 'commondir', 'gitdir'].map(
        name => `/home/me/shop/.git/${name}`,
      ),
    )
  })
  test('nor the file of a linked working tree that names its repository', () => {
    const linked = policy({ folders: ['/w/cart'], git: ['/shop/.git/worktrees/cart', '/shop/.git'] })
    expect(linked.filesystem.denyWrite).toContain('/w/cart/.git')
    expect(linked.filesystem.denyWrite).toContain('/shop/.git/hooks')
    expect(linked.filesystem.denyWrite).toContain('/shop/.git/worktrees/cart/gitdir')
  })
  test('nor what links the worktrees of tasks to it', () => {
    const links = ['/home/me/shop-worktrees/r1/T1/.git', '/home/me/shop/.git/worktrees/T1/gitdir']
    expect(policy({ links }).filesystem.denyWrite).toEqual(expect.arrayContaining(links))
  })
  test('what does not exist is not named: the runtime would make it', () => {
    expect(policy({}, path => path.endsWith('hooks')).filesystem.denyWrite).toEqual([
      '/home/me/shop/.git/hooks',
    ])
    expect(policy({}, () => false).filesystem.allowWrite).not.toContain('/home/me/.claude.json')
  })
  test('is also what the settings add', () => {
    const settings = { allowedDomains: [], allowWrite: ['~/.cache/x', '/data'], denyRead: [] }
    expect(policy({ settings }).filesystem.allowWrite.slice(-2)).toEqual(['/home/me/.cache/x', '/data'])
  })
})

describe('what may not be read', () => {
  const { denyRead } = policy().filesystem
  test.each(['.ssh', '.aws', '.gnupg', '.netrc', '.npmrc', '.git-credentials', '.config/gh', '.kube'])(
    '~/%s',
    path => {
      expect(denyRead).toContain(`/home/me/${path}`)
    },
  )
  test("ralph's own folder, and the logins of other agents", () => {
    expect(denyRead).toContain('/home/me/.ralph')
    expect(denyRead).toContain('/home/me/.codex/login')
    expect(denyRead).not.toContain('/home/me/.claude/login')
  })
  test('what the settings add', () => {
    const settings = { allowedDomains: [], allowWrite: [], denyRead: ['~/notes'] }
    expect(policy({ settings }).filesystem.denyRead).toContain('/home/me/notes')
  })
})

describe('what may be reached', () => {
  test("is the agent's model, and what the settings add", () => {
    const settings = { allowedDomains: ['docs.example', 'npm'], allowWrite: [], denyRead: [] }
    expect(policy({ settings }).network.allowedDomains).toEqual([
      'api.example',
      'docs.example',
      ...BUNDLES.npm!,
    ])
  })
  test('also a model at another address', () => {
    const env = { MODEL_URL: 'https://proxy.example:8443/v1' }
    expect(policy({ env }).network.allowedDomains).toEqual(['api.example', 'proxy.example'])
    expect(policy({ env: { MODEL_URL: 'nonsense' } }).network.allowedDomains).toEqual(['api.example'])
  })
  test('on this machine only with the proxy, which programs there would go past', () => {
    const env = { MODEL_URL: 'http://127.0.0.1:99' }
    expect(environmentInside(policy({ env }))).toMatchObject({ NO_PROXY: '', no_proxy: '' })
    expect(environmentInside(policy())).toEqual({ NODE_USE_ENV_PROXY: '1' })
  })
})

describe('secrets of the agent', () => {
  const secrets = ['API_KEY']
  test("are put in outside, and only for the agent's model", () => {
    const { credentials, network } = policy({
      secrets,
      settings: { allowedDomains: ['npm'], allowWrite: [], denyRead: [] },
    })
    expect(credentials).toEqual({
      envVars: [{ name: 'API_KEY', mode: 'mask', injectHosts: ['api.example'] }],
    })
    expect(network.tlsTerminate).toEqual({})
  })
  test('without TLS only to a model on this machine', () => {
    const plain = (url: string) =>
      policy({ secrets, env: { MODEL_URL: url } }).credentials?.allowPlaintextInject ?? false
    expect(plain('http://127.0.0.1:99')).toBe(true)
    expect(plain('http://localhost:99')).toBe(true)
    expect(plain('http://10.0.0.1:99')).toBe(false)
    expect(plain('https://127.0.0.1:99')).toBe(false)
  })
  test('are not touched where there are none', () => {
    expect(policy().credentials).toBeUndefined()
    expect(policy().network.tlsTerminate).toBeUndefined()
  })
})
