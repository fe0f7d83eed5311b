import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { known } from '../../src/agents/index.ts'
import { findLoaded } from '../../src/agents/loads/find.ts'
import { scratch } from '../support/scratch.ts'

const place = (files: Record<string, string>) => {
  const root = scratch('ralph-loads-')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return { root, write }
}

const found = (files: Record<string, string>) => findLoaded(place(files).root, undefined)

const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }]

const server = (m: object) => ({ mcpServers: { m } })

const EVIL: [string, unknown, string][] = [
  ['.claude/settings.json', { hooks: { SessionStart: hook('evil') } }, 'hooks.SessionStart[0].hooks[0] evil'],
  ['.claude/settings.local.json', { hooks: { Stop: hook('evil') } }, 'hooks.Stop[0].hooks[0] evil'],
  ['.claude/settings.json', { apiKeyHelper: 'evil' }, 'apiKeyHelper evil'],
  ['.claude/settings.json', { statusLine: { type: 'command', command: 'evil' } }, 'statusLine evil'],
  ['.claude/settings.json', { env: { ANTHROPIC_BASE_URL: 'evil' } }, 'env.ANTHROPIC_BASE_URL evil'],
  ['.claude/settings.json', { enabledPlugins: { 'evil@x': true } }, 'enabledPlugins."evil@x" true'],
  ['.claude/settings.json', { aKeyOfTomorrow: 'evil' }, 'aKeyOfTomorrow evil'],
  ['.mcp.json', server({ command: 'sh', args: ['-c', 'evil it'] }), 'mcpServers.m sh -c "evil it"'],
  ['.mcp.json', server({ type: 'http', url: 'evil' }), 'mcpServers.m evil'],
  ['.mcp.json', server({ command: 'a', env: { X: 'evil' } }), 'mcpServers.m a · {"env":{"X":"evil"}}'],
  ['.claude/commands/c.md', 'Do it: !`evil`', 'runs evil'],
  ['.claude/commands/deep/c.md', 'Do it: !`evil`', 'runs evil'],
  ['.claude/skills/s/SKILL.md', '```!\nevil\n```\n', 'runs evil\n'],
  ['.claude/agents/a.md', '---\nname: a\nhooks:\n  Stop: evil\n---\nx', 'the head declares hooks or servers'],
  ['.codex/config.toml', '[mcp_servers.m]\ncommand = "evil"', ' [mcp_servers.m]\n command = "evil"'],
  ['.codex/config.toml', 'notify = """\n# evil\n"""', ' notify = """\n # evil\n """'],
  ['.codex/hooks.json', { hooks: { Stop: hook('evil') } }, 'hooks.Stop[0].hooks[0] evil'],
  ['.codex/rules/r.rules', 'evil', ' evil'],
  ['.gemini/settings.json', { tools: { discoveryCommand: 'evil' } }, 'tools.discoveryCommand evil'],
  ['.gemini/settings.json', server({ command: 'evil' }), 'mcpServers.m evil'],
  ['.gemini/.env', 'GOOGLE_GEMINI_BASE_URL=evil', 'the whole file is loaded'],
  ['.env', 'A=1\nGOOGLE_GEMINI_BASE_URL=evil', 'GOOGLE_GEMINI_BASE_URL is set'],
  ['.env', 'export  NODE_OPTIONS = "--require ./evil"', 'NODE_OPTIONS is set'],
  ['.env', 'https_proxy: evil', 'https_proxy is set'],
  ['.env', 'GIT_SSH_COMMAND="\nevil"\nB=2', 'GIT_SSH_COMMAND is set'],
  ['.gemini/extensions/e/gemini-extension.json', server({ httpUrl: 'evil' }), 'mcpServers.m evil'],
  ['opencode.json', { mcp: { m: { type: 'local', command: ['sh', 'evil'] } } }, 'mcp.m sh evil'],
  ['opencode.jsonc', '// hello\n{ "plugin": ["evil", /* x */], }', 'plugin ["evil"]'],
  ['opencode.jsonc', '{ "share": "https://evil//y, }", }', 'share https://evil//y, }'],
  ['.opencode/opencode.json', { formatter: { f: { command: ['evil'] } } }, 'formatter.f evil'],
  ['.opencode/plugin/p.ts', 'evil()', 'the whole file is loaded'],
  ['.opencode/tools/t.js', 'evil()', 'the whole file is loaded'],
  ['.opencode/package.json', { dependencies: { evil: '1' } }, 'dependencies.evil 1'],
  ['.opencode/command/c.md', '!`evil`', 'runs evil'],
  [
    '.github/hooks/h.json',
    { hooks: { sessionStart: [{ type: 'command', bash: 'evil' }] } },
    'hooks.sessionStart[0] evil',
  ],
  [
    '.github/copilot/settings.json',
    { hooks: { sessionStart: [{ bash: 'evil' }] } },
    'hooks.sessionStart[0] evil',
  ],
  ['.github/mcp.json', server({ command: 'evil' }), 'mcpServers.m evil'],
  ['.github/lsp.json', { lspServers: { l: { command: 'evil' } } }, 'lspServers.l evil'],
  ['.amp/settings.json', { 'amp.mcpServers': { m: { command: 'evil' } } }, '"amp.mcpServers".m evil'],
  ['.amp/plugins/p.ts', 'evil()', 'the whole file is loaded'],
  ['.agents/skills/s/mcp.json', { m: { command: 'evil' } }, 'm evil'],
  ['.mcp.json', '{ not JSON', 'the whole file is loaded, and ralph cannot parse it'],
]

const textOf = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content))

describe('what an agent would load from a project', () => {
  it.each(EVIL)('%s %j is %j', (file, content, shown) => {
    const entries = found({ [file]: textOf(content) })
    expect(new Set(entries.map(entry => entry.file))).toEqual(new Set([file]))
    expect(entries.map(({ where, what }) => `${where} ${what}`).join('\n')).toBe(shown)
  })

  it.each(EVIL)('%s: whatever runs cannot change unseen (%j)', (file, content) => {
    const before = found({ [file]: textOf(content) })
    expect(found({ [file]: textOf(content).replaceAll(/evil|not JSON/g, 'worse') })).not.toEqual(before)
  })

  it.each([
    ['a project without such files', { 'README.md': 'x', '.github/workflows/ci.yml': 'run: x' }],
    ['rules about permissions', { '.claude/settings.local.json': '{"permissions":{"allow":["Bash(ls)"]}}' }],
    [
      'prompts that run nothing',
      { '.claude/commands/c.md': 'Hello `x`!', '.claude/agents/a.md': '---\nname: a\n---\n' },
    ],
    [
      'how a CLI looks',
      { '.gemini/settings.json': '{"ui":{"theme":"x"}}', 'opencode.json': '{"theme":"x"}' },
    ],
    [
      'variables that no agent obeys',
      { '.env': 'DATABASE_URL=postgres://x\nNODE_ENV=test\n# GEMINI_API_KEY=x\nMY_NODE_OPTIONS=x\n' },
    ],
    ['comments', { '.codex/config.toml': '# nothing\n\n  # here\n' }],
    ['a folder in the place of a file', { '.mcp.json/x': 'x', '.claude/settings.json/x': 'x' }],
  ])('is nothing in %s', (_, files) => {
    expect(found(files)).toEqual([])
  })

  it('is also in the folders above, up to that of the repository, but not in the user’s own', () => {
    const { root, write } = place({ 'home/repo/.git/HEAD': 'x', 'home/repo/.mcp.json': '{"a":1}' })
    write('home/repo/sub/deep/.mcp.json', '{"b":2}')
    write('home/.mcp.json', '{"c":3}')
    const project = join(root, 'home/repo/sub/deep')
    expect(findLoaded(project, undefined).map(({ file, where }) => [file, where])).toEqual([
      ['.mcp.json', 'b'],
      ['../../.mcp.json', 'a'],
    ])
    const dotfiles = place({
      '.git/HEAD': 'x',
      '.claude/settings.json': '{"env":{"A":"1"}}',
      'p/x': 'x',
    }).root
    expect(findLoaded(join(dotfiles, 'p'), dotfiles)).toEqual([])
    expect(findLoaded(join(dotfiles, 'p'), '/elsewhere')).toHaveLength(1)
  })

  it('shows no value of a variable, and is not waited for in a pipe', () => {
    expect(JSON.stringify(found({ '.env': 'GEMINI_API_KEY=hunter2' }))).not.toContain('hunter2')
    const { root } = place({})
    execFileSync('mkfifo', [join(root, '.env')])
    expect(findLoaded(root, undefined)).toEqual([])
  })

  it('must be small enough to show', () => {
    expect(() => found({ '.mcp.json': ' '.repeat(2 ** 20 + 1) })).toThrow(
      '.mcp.json is larger than 1 MiB, the most that ralph reads of it; agents load it, so ralph must be able to show it',
    )
  })

  it('is known for every agent', () => {
    for (const [name, { loads }] of known) expect(loads.length, name).toBeGreaterThan(0)
  })
})
