import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pinFolder } from '../../../src/store/files/pinned.ts'
import { storyFileReader } from '../../../src/workflows/stories/story-file-reader.ts'
import { newStory } from '../../core/setup.ts'
import { scratch } from '../../support/scratch.ts'

const FILE = { project: 'p', branchName: 'b', description: 'd', userStories: [newStory('A'), newStory('B')] }
const TEXT = JSON.stringify(FILE, null, 2)

function openScene(text = TEXT) {
  const root = pinFolder(scratch('ralph-stories-'))
  const path = join(root.path, 'tasks.json')
  writeFileSync(path, text)
  return { path, reader: storyFileReader({ root, path, writePath: () => path }) }
}

describe('the story file', () => {
  it('is parsed once as long as it has the same bytes', () => {
    const { path, reader } = openScene()
    const file = reader.read()
    expect(file).toEqual(FILE)
    writeFileSync(path, TEXT)
    expect(reader.read()).toBe(file)
    expect(reader.readOrKeep()).toEqual({ file })
  })

  it('is parsed again when one byte differs, whatever its size and time', () => {
    const { path, reader } = openScene()
    reader.read()
    writeFileSync(path, TEXT.replace('"id": "B"', '"id": "C"'))
    expect(reader.read()?.userStories.map(({ id }) => id)).toEqual(['A', 'C'])
  })

  it('is known after ralph wrote it', () => {
    const { path, reader } = openScene('{}')
    writeFileSync(path, TEXT)
    reader.know(FILE, Buffer.from(TEXT))
    expect(reader.read()).toBe(FILE)
  })

  it('is not valid if it is broken or gone, and valid again later', () => {
    const { path, reader } = openScene()
    const file = reader.read()
    writeFileSync(path, TEXT.slice(1))
    expect(reader.read()).toBeNull()
    rmSync(path)
    expect(reader.read()).toBeNull()
    expect(reader.readOrKeep()).toEqual({ error: 'tasks.json was removed. It is put back.' })
    writeFileSync(path, TEXT)
    expect(reader.read()).toBe(file)
  })

  it('is kept beside itself if it is broken', () => {
    const { path, reader } = openScene('[')
    const found = reader.readOrKeep()
    const kept = `${path}.broken-1`
    expect('error' in found && found.error).toContain(`It is put back. What was there is kept as ${kept}.`)
    expect(readFileSync(kept, 'utf8')).toBe('[')
    expect(readdirSync(join(path, '..')).sort()).toEqual(['tasks.json', 'tasks.json.broken-1'])
  })
})
