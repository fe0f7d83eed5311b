import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pinFolder } from '../../../src/store/files/pinned.ts'
import { readOrKeepStories, storiesAt } from '../../../src/workflows/stories/story-file-reader.ts'
import { newStory } from '../../core/setup.ts'
import { scratch } from '../../support/scratch.ts'

const FILE = { project: 'p', branchName: 'b', description: 'd', userStories: [newStory('A'), newStory('B')] }
const TEXT = JSON.stringify(FILE, null, 2)

function openScene(text = TEXT) {
  const root = pinFolder(scratch('ralph-stories-'))
  const path = join(root.path, 'tasks.json')
  writeFileSync(path, text)
  return { path, paths: { root, path, writePath: () => path } }
}

describe('the story file', () => {
  it('is not valid if it is broken or gone, and valid again later', () => {
    const { path, paths } = openScene()
    expect(storiesAt(paths)).toEqual(FILE)
    writeFileSync(path, TEXT.slice(1))
    expect(storiesAt(paths)).toBeNull()
    rmSync(path)
    expect(storiesAt(paths)).toBeNull()
    expect(readOrKeepStories(paths)).toEqual({ error: 'tasks.json was removed. It is put back.' })
    writeFileSync(path, TEXT)
    expect(readOrKeepStories(paths)).toEqual({ file: FILE })
  })

  it('is kept beside itself if it is broken', () => {
    const { path, paths } = openScene('[')
    const found = readOrKeepStories(paths)
    const kept = `${path}.broken-1`
    expect('error' in found && found.error).toContain(`It is put back. What was there is kept as ${kept}.`)
    expect(readFileSync(kept, 'utf8')).toBe('[')
    expect(readdirSync(join(path, '..')).sort()).toEqual(['tasks.json', 'tasks.json.broken-1'])
  })
})
