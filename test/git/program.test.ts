import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitProgram } from '../../src/git/git.ts'
import { scratch } from '../support/scratch.ts'

/** A repository with a project in it, and beside it a folder with a git of the system's. */
function setPlace() {
  const root = scratch('ralph-program-')
  const project = join(root, 'repo', 'packages', 'app')
  mkdirSync(project, { recursive: true })
  mkdirSync(join(root, 'repo', '.git'))
  const addGit = (file: string) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '#!/bin/sh\n')
    chmodSync(file, 0o755)
    return file
  }
  const system = addGit(join(root, 'usr', 'git'))
  return { root, repo: join(root, 'repo'), project, addGit, system }
}

describe('the git that ralph runs', () => {
  it.each<[string, (place: ReturnType<typeof setPlace>) => string]>([
    ['a folder of the project', ({ project, addGit }) => dirname(addGit(join(project, 'bin/git')))],
    ['a folder of its repository', ({ repo, addGit }) => dirname(addGit(join(repo, 'tools/git')))],
    ['its packages', ({ project, addGit }) => dirname(addGit(join(project, 'node_modules/.bin/git')))],
    ['packages above it', ({ root, addGit }) => dirname(addGit(join(root, 'node_modules/.bin/git')))],
    ['a relative folder', () => 'bin'],
    ['the current folder', () => '.'],
    ['an empty entry', () => ''],
    [
      'a link to a folder of the project',
      ({ root, project, addGit }) => {
        symlinkSync(dirname(addGit(join(project, 'bin/git'))), join(root, 'linked'))
        return join(root, 'linked')
      },
    ],
    [
      'a folder where git is a link to a file of the project',
      ({ root, project, addGit }) => {
        mkdirSync(join(root, 'local'))
        symlinkSync(addGit(join(project, 'bin/git')), join(root, 'local/git'))
        return join(root, 'local')
      },
    ],
    [
      'a folder where it cannot be executed',
      ({ root }) => {
        mkdirSync(join(root, 'plain'))
        writeFileSync(join(root, 'plain/git'), '')
        return join(root, 'plain')
      },
    ],
  ])('is not in %s', (_, folderOf) => {
    const place = setPlace()
    const path = `${folderOf(place)}:${dirname(place.system)}`
    expect(gitProgram(place.project, path)).toBe(place.system)
    expect(gitProgram(place.project, path.split(':')[0])).toBeNull()
  })

  it('stays the one that was found first, and none if there was none', () => {
    const { root, project, addGit, system } = setPlace()
    const path = `${join(root, 'local')}:${dirname(system)}`
    expect(gitProgram(project, path)).toBe(system)
    expect(gitProgram(project, join(root, 'local'))).toBeNull()
    addGit(join(root, 'local', 'git'))
    expect(gitProgram(project, path)).toBe(system)
    expect(gitProgram(project, join(root, 'local'))).toBeNull()
  })
})
