import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examine } from '../../../src/cli/commands/doctor/examine.ts'
import type { World } from '../../../src/cli/commands/doctor/finding.ts'
import { showDiagnosis } from '../../../src/cli/commands/doctor/show.ts'
import type { Ran, RunCommand } from '../../../src/runners/run-command.ts'
import { styleOf } from '../../../src/view/style.ts'
import { scratch } from '../../support/scratch.ts'

export const MACHINE = { node: '22.1.0', platform: 'linux', arch: 'x64', cgroup: null }

export const prints = (stdout: string): Ran => ({
  end: 'exited',
  exit: { code: 0, signal: null },
  stdout,
  stderr: '',
})

export const fails = (code: number, stderr: string, stdout = ''): Ran => ({
  end: 'exited',
  exit: { code, signal: null },
  stdout,
  stderr,
})

const PLAIN = styleOf({ color: false, emoji: true })

/** Nothing works inside. */
const NOTHING = { what: 'nothing can be run inside', remedy: 'none' }

type Call = { argv: string[]; cwd: string; env: Record<string, string>; timeoutMs: number }

/** A project, a home and a PATH with these programs and no others; what they answer comes from a table. */
export function setDoctorScene(
  programs: readonly string[],
  answers: Record<string, Ran> = {},
  settings?: unknown,
) {
  const root = scratch('ralph-doctor-')
  const project = join(root, 'project')
  const bin = join(root, 'bin')
  const home = join(root, 'home')
  for (const dir of [project, bin]) mkdirSync(dir)
  for (const name of programs) {
    writeFileSync(join(bin, name), '#!/bin/sh\n')
    chmodSync(join(bin, name), 0o755)
  }
  if (settings !== undefined) {
    mkdirSync(join(project, '.ralph'))
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
    writeFileSync(join(project, '.ralph', 'settings.json'), text)
  }
  const calls: Call[] = []
  const run: RunCommand = async (argv, options) => {
    calls.push({ argv, ...options })
    const [program = '', ...words] = argv
    const name = program.slice(program.lastIndexOf('/') + 1)
    return answers[[name, ...words].join(' ')] ?? answers[name] ?? fails(127, 'not in the table')
  }
  const env = { PATH: bin, RALPH_HOME: home }
  return {
    root,
    project,
    bin,
    home,
    calls,
    /** The facts, with what is shown of them. */
    examine: async (more: Partial<World> = {}, environment = false) => {
      const world = {
        cwd: project,
        run,
        machine: MACHINE,
        checkSrt: async () => [NOTHING],
        isRoot: false,
        ...more,
        env: { ...env, ...more.env },
      }
      const diagnosis = await examine(world, { environment })
      const { facts, obstacles } = diagnosis
      const screen = showDiagnosis(diagnosis, PLAIN, null)
      // Rows without the space that puts them below each other.
      const lines = screen.map(line => line.trim().replace(/ {2,}/, ' '))
      return { ...facts, obstacles, screen, lines }
    },
  }
}
