import { describe, expect, it } from 'vitest'
import { compareConfig, isHarmlessInNew } from '../../src/protect/config-keys.ts'

const BEFORE = [
  { key: 'core.sshcommand', value: 'ssh -i mine' },
  { key: 'user.name', value: 'me' },
  { key: 'remote.origin.url', value: 'https://127.0.0.1:1/mine' },
]

const withKey = (key: string, value: string) => [...BEFORE.filter(e => e.key !== key), { key, value }]

describe('of a configuration', () => {
  it.each([
    ['core.fsmonitor', '../evil'],
    ['core.hookspath', '../evil-hooks'],
    ['core.sshcommand', '../evil'],
    ['core.alternaterefscommand', '../evil'],
    ['core.attributesfile', 'attributes'],
    ['core.worktree', '../../elsewhere'],
    ['core.bare', 'true'],
    ['core.gitproxy', '../evil'],
    ['diff.external', '../evil'],
    ['diff.x.textconv', '../evil'],
    ['filter.x.clean', '../evil'],
    ['merge.x.driver', '../evil'],
    ['gpg.program', '../evil'],
    ['gpg.ssh.defaultkeycommand', '../evil'],
    ['credential.https://x.helper', '!../evil'],
    ['tar.x.command', '../evil'],
    ['uploadpack.packobjectshook', '../evil'],
    ['remote.origin.url', 'ext::sh -c ../evil'],
    ['remote.origin.pushurl', 'https://127.0.0.1:2/x'],
    ['remote.evil.url', 'https://127.0.0.1:2/x'],
    ['remote.origin.uploadpack', '../evil'],
    ['remote.origin.vcs', 'evil'],
    ['url.https://127.0.0.1:2/.insteadof', 'https://'],
    ['protocol.ext.allow', 'always'],
    ['branch.main.remote', 'https://127.0.0.1:2/x'],
    ['branch.main.remote', 'evil'],
    ['branch.main.pushremote', './evil'],
    ['branch.main.mergeoptions', '-s evil'],
    ['submodule.x.update', '!../evil'],
    ['submodule.x.url', 'ext::sh -c ../evil'],
    ['alias.st', '!../evil'],
    ['include.path', '../evil.inc'],
    ['includeif.gitdir:/.path', '../evil.inc'],
    ['extensions.worktreeconfig', 'true'],
    ['extensions.objectformat', 'sha256'],
    ['push.default', 'matching'],
    ['a.key.that.git.may.learn', '../evil'],
    ['core.sshcommand', ''],
    ['submodule.x.url', 'https://-x'],
    ['submodule.x.url', '-x'],
    ['user.signingkey', 'x'],
    ['remote.origin.gh-resolved', 'other/repository'],
    ['branch.a\nb.mergeoptions', '-s evil'],
  ])('%s = %s is refused', (key, value) => {
    expect(compareConfig(BEFORE, withKey(key, value))).toEqual({ refused: [key], harmless: [] })
  })

  it.each([
    ['user.name', 'Agent'],
    ['user.email', 'agent@example.invalid'],
    ['branch.x.remote', 'origin'],
    ['branch.x.remote', '.'],
    ['branch.x.merge', 'refs/heads/x'],
    ['branch.main.vscode-merge-base', 'origin/main'],
    ['pull.rebase', 'true'],
    ['push.default', 'simple'],
    ['init.defaultbranch', 'main'],
    ['submodule.x.url', 'https://127.0.0.1:1/x'],
    ['branch.feature/a.b.merge', 'refs/heads/feature/a.b'],
    ['submodule.libs/x.active', 'true'],
  ])('%s = %s is harmless', (key, value) => {
    const after = withKey(key, value)
    expect(compareConfig(BEFORE, after)).toEqual({ refused: [], harmless: [{ key, values: [value] }] })
  })

  it('a key is refused that is removed, repeated or emptied, unless all its values are harmless', () => {
    const [ssh, name, remote] = BEFORE as [Entry, Entry, Entry]
    expect(compareConfig(BEFORE, [name, remote]).refused).toEqual(['core.sshcommand'])
    expect(compareConfig(BEFORE, [...BEFORE, { ...remote, value: 'x' }]).refused).toEqual([
      'remote.origin.url',
    ])
    expect(compareConfig([ssh], [ssh, { key: 'core.hookspath', value: '' }]).refused).toEqual([
      'core.hookspath',
    ])
    expect(compareConfig(BEFORE, [ssh, remote])).toEqual({
      refused: [],
      harmless: [{ key: 'user.name', values: [] }],
    })
  })
})

describe('a new repository may have', () => {
  it.each([
    ['core.worktree', '../../../sub', true],
    ['core.bare', 'false', true],
    ['remote.origin.url', 'https://127.0.0.1:1/x', true],
    ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*', true],
    ['core.worktree', '/elsewhere', false],
    ['remote.origin.url', 'ext::sh -c evil', false],
    ['core.fsmonitor', '../evil', false],
    ['extensions.worktreeconfig', 'true', false],
  ])('%s = %s: %s', (key, value, may) => {
    expect(isHarmlessInNew({ key, value })).toBe(may)
  })
})

type Entry = (typeof BEFORE)[number]
