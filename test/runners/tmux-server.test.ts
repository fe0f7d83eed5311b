import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tmuxServer } from '../../src/runners/tmux/server.ts'
import { scratch } from '../support/scratch.ts'
import { hasTmux } from '../support/terminal.ts'

/** A home whose path is too long for a socket, and the server that it has instead. */
function setLongHome() {
  const home = join(scratch(), 'x'.repeat(120))
  mkdirSync(home)
  const server = tmuxServer(home, process.env)
  const folder = dirname(server.socket)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { home, server, folder }
}

describe.skipIf(!hasTmux)('the tmux server of a home', () => {
  test('with a short path has its socket there', () => {
    const home = scratch()
    expect(tmuxServer(home, process.env).socket).toBe(join(home, 'tmux.sock'))
  })

  test('with a path that is too long works all the same, in a folder for this user only', async () => {
    const { home, server, folder } = setLongHome()
    expect(folder.startsWith(home)).toBe(false)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(tmuxServer(home, process.env).socket).toBe(server.socket)
    await server.runInSession(create => [...create, '-n', 'agent', 'sleep 60'])
    onTestFinished(() => void execFileSync('tmux', ['-S', server.socket, 'kill-server']))
    expect(await server.run('list-windows', '-a', '-F', '#{window_name}')).toBe('agent')
  })

  test('is refused where others may enter that folder', () => {
    const { home, folder } = setLongHome()
    chmodSync(folder, 0o755)
    expect(() => tmuxServer(home, process.env)).toThrow(`${folder} belongs to somebody else; set RALPH_HOME`)
  })
})
