import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RALPH } from '../../support/ralph.ts'
import { prints, setDoctorScene } from './scene.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0

const setScene = () => setDoctorScene(['claude'], { 'claude --version': prints('1.0') })

describe('a folder that ralph writes to', () => {
  it('is named with the way out if it is the one for temporary files, and missing', async () => {
    const scene = setScene()
    const TMPDIR = join(scene.root, 'nowhere')
    const facts = await scene.examine({ env: { TMPDIR } })
    expect(facts.obstacles).toEqual([`${TMPDIR} does not exist`])
    expect(facts.lines).toContain(
      `✗ temporary ${TMPDIR} does not exist → make it, or TMPDIR=<a folder with room>`,
    )
  })

  it.skipIf(!isRoot)('is a doubt if it is the home of somebody else', async () => {
    const scene = setScene()
    mkdirSync(scene.home)
    chownSync(scene.home, NOBODY, NOBODY)
    const facts = await scene.examine()
    expect(facts.obstacles).toEqual([])
    expect(facts.lines).toContain(
      `– home ${scene.home} belongs to user ${NOBODY}, but ralph runs as user 0 → RALPH_HOME=<a folder of yours>`,
    )
  })

  const asOther = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  it.each(['home', 'project', 'temporary'] as const)('is an obstacle if it may not be written: %s', name => {
    const scene = setScene()
    for (const folder of [scene.root, scene.project, scene.bin]) chmodSync(folder, 0o755)
    const closed = join(scene.root, 'closed')
    mkdirSync(closed, { mode: 0o555 })
    mkdirSync(join(scene.root, 'open'))
    chmodSync(join(scene.root, 'open'), 0o777)
    const of = (other: string) => (name === other ? closed : join(scene.root, 'open'))
    const ran = spawnSync(process.execPath, [RALPH, 'doctor', '--json', '-C', of('project')], {
      cwd: '/',
      env: { PATH: scene.bin, HOME: '/', RALPH_HOME: of('home'), TMPDIR: of('temporary') },
      encoding: 'utf8',
      ...asOther,
    })
    const whose = isRoot ? ', it belongs to user 0' : ''
    expect(JSON.parse(ran.stdout).obstacles).toContain(
      `${closed} cannot be written: permission denied${whose}`,
    )
  })

  /** In a mount namespace of its own, so that nothing is left of it. */
  const MOUNT = 'mount -t tmpfs -o "$1" none "$0" && shift && exec "$@"'
  const onDisk = (folder: string, options: string, command: string[], env?: NodeJS.ProcessEnv) =>
    spawnSync('sh', ['-c', 'exec unshare --mount sh -c "$@"', 'sh', MOUNT, folder, options, ...command], {
      cwd: '/',
      env: env ?? process.env,
      encoding: 'utf8',
    })
  const canMount = onDisk('/mnt', 'size=64k', ['true']).status === 0
  it.skipIf(!canMount).each([
    ['home', 'size=64k', 'cannot be written: the disk is full, 66 KB are free'],
    ['project', 'size=64k', 'cannot be written: the disk is full, 66 KB are free'],
    ['temporary', 'ro', 'cannot be written: the disk is read-only'],
    ['home', 'ro', 'cannot be written: the disk is read-only'],
    ['project', 'size=8m,nr_inodes=1', 'cannot be written: the disk can hold no more files'],
    ['temporary', 'size=8m', null],
  ])('is told if its disk has no room: %s, mounted with %s', (name, options, trouble) => {
    const scene = setScene()
    const disk = join(scene.root, 'disk')
    mkdirSync(disk)
    const of = (other: string) => (name === other ? disk : scene.root)
    const doctor = [process.execPath, RALPH, 'doctor', '--json', '-C', of('project')]
    const ran = onDisk(disk, options, doctor, {
      PATH: `${scene.bin}:${process.env.PATH}`,
      HOME: '/',
      RALPH_HOME: of('home'),
      TMPDIR: of('temporary'),
    })
    const { folders } = JSON.parse(ran.stdout)
    expect(folders.find((folder: { name: string }) => folder.name === name)).toEqual({
      name,
      path: disk,
      trouble,
      doubt: trouble === null ? 'only 8.4 MB are free on its disk' : null,
    })
  })
})
