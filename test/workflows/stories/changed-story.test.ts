import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KnownStories, withChangedStory } from '../../../src/workflows/stories/rules/changed-story.ts'
import { parseStories } from '../../../src/workflows/stories/story-file-reader.ts'
import { newStory } from '../../core/setup.ts'

const NAMES = ['A', 'B', 'C']
const FILE = {
  project: 'p "\\" {',
  branchName: 'b',
  description: 'ä [',
  userStories: NAMES.map(name => newStory(name)),
  copies: NAMES.map(name => newStory(name)),
}
const TEXT = JSON.stringify(FILE, null, 2)

function known(text: string): KnownStories {
  const parsed = parseStories(text)
  if ('errors' in parsed) throw new Error(parsed.errors[0])
  return { bytes: Buffer.from(text), file: parsed.file }
}

/** What is read of a second text when the first is known. */
const read = (first: string, second: string) => withChangedStory(known(first), Buffer.from(second))

/** A part of a text, replaced at its last place. */
const replaced = (text: string, part: string, by: string) => {
  const at = text.lastIndexOf(part)
  return text.slice(0, at) + by + text.slice(at + part.length)
}

const DONE = TEXT.replace('"passes": false', '"passes": true ')

describe('a story file in which one story is different', () => {
  it('keeps all other stories as the objects that they were', () => {
    const first = known(TEXT)
    const { file } = withChangedStory(first, Buffer.from(DONE))!
    expect(file.userStories.map(({ passes }) => passes)).toEqual([true, false, false])
    expect(file.userStories.slice(1).every((story, at) => story === first.file.userStories[at + 1])).toBe(
      true,
    )
    expect(first.file.userStories[0]!.passes).toBe(false)
  })

  it('means what a file means that is read as a whole, change after change', () => {
    const texts = [TEXT]
    for (const [part, by] of [
      ['"notes": ""', '"notes": "täglich \\" } ] \\\\"'],
      ['"title": "Do A"', '"title":\n\n"Do it"'],
      ['"title": "Do B"', '"extra": [{"a": [1]}], "title": "Do B", "title": "Do C"'],
      ['"title": "Do C"', '"title": ""'],
    ] as const)
      texts.push(texts.at(-1)!.replace(part, by))
    let current = known(TEXT)
    for (const text of texts.slice(1)) {
      current = withChangedStory(current, Buffer.from(text))!
      expect(current.file).toEqual(JSON.parse(text))
    }
  })

  it('is told from one whose other parts are different', () => {
    expect(read(TEXT, DONE)).not.toBeNull()
    expect(read(TEXT, TEXT.replace('ä', 'ö'))).toBeNull()
    expect(read(TEXT, replaced(TEXT, '"passes": false', '"passes": true '))).toBeNull()
    expect(read(TEXT, DONE.replace('"title": "Do B"', '"title": "Do"'))).toBeNull()
    expect(
      read(TEXT, JSON.stringify({ ...FILE, userStories: FILE.userStories.slice(1) }, null, 2)),
    ).toBeNull()
    expect(read(TEXT, JSON.stringify(FILE))).toBeNull()
    expect(read(TEXT, `\ufeff${TEXT}`)).toBeNull()
  })

  it('is told by the last of two lists, because that one counts', () => {
    for (const key of ['userStories', 'user\\u0053tories']) {
      const twice = replaced(TEXT, '"copies"', `"${key}"`)
      expect(read(twice, twice.replace('"passes": false', '"passes": true '))).toBeNull()
      const changed = replaced(twice, '"passes": false', '"passes": true ')
      expect(read(twice, changed)?.file).toEqual(JSON.parse(changed))
    }
  })

  it.each([
    ['is not valid', '"passes": false', '"passes": "yes"'],
    ['is not JSON', '"passes": false', '"passes": fals'],
    ['is two stories', '"passes": false', '"passes": false}, {"id": "A"'],
    ['has another id', '"id": "A"', '"id": "B"'],
    ['is nested too deep', '"passes": false', `"passes": false, "x": ${'['.repeat(62)}${']'.repeat(62)}`],
    ['begins with a byte order mark', '{\n      "id": "A"', '\ufeff{\n      "id": "A"'],
  ])('is read as a whole if the story %s', (_, part, by) => {
    expect(TEXT).toContain(part)
    expect(read(TEXT, TEXT.replace(part, by))).toBeNull()
  })

  it('means the same either way, whatever was changed', () => {
    const splice = fc.record({
      at: fc.nat(TEXT.length),
      removed: fc.nat(40),
      put: fc.oneof(
        fc.constantFrom('', ' ', '"', '{', '}', '[', ']', ',', '\\', '\n', '},{', 'true', 'ä'),
        fc.tuple(fc.nat(TEXT.length), fc.nat(400)).map(([from, length]) => TEXT.slice(from, from + length)),
      ),
    })
    fc.assert(
      fc.property(fc.array(splice, { minLength: 1, maxLength: 2 }), splices => {
        const text = splices.reduce(
          (text, { at, removed, put }) => text.slice(0, at) + put + text.slice(at + removed),
          TEXT,
        )
        const found = read(TEXT, text)
        if (found) expect({ file: found.file }).toEqual(parseStories(text))
      }),
      { numRuns: 2000 },
    )
  })
})
