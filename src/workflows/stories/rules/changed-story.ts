import { MAX_DEPTH, parseJson } from '../../../core/json.ts'
import { type StoriesFile, type Story, storyErrors } from './story-file.ts'

/** A valid story file: its bytes, what they mean, and where each story is in them once somebody asked for it. */
export type KnownStories = { bytes: Buffer; file: StoriesFile; places?: Places }

/** The first byte of each story, and the first byte after it. */
type Places = { starts: number[]; ends: number[] }

/** A story is within the list, which is within the file. */
const DEPTH = MAX_DEPTH - 2

/**
 * An agent changes one story of perhaps thousands. If all bytes around one story are as they were, then so is all that
 * they mean, and only that story is read. null: anything else is different, or the story is not valid; then read it all.
 */
export function withChangedStory(known: KnownStories, bytes: Buffer): KnownStories | null {
  const { file } = known
  const places = known.places ?? placesOf(known.bytes)
  known.places = places
  const { starts, ends } = places
  const { before, after } = sameBytes(known.bytes, bytes)
  const index = ends.findIndex(end => end >= known.bytes.length - after)
  const old = file.userStories[index]
  if (!old || starts[index]! > before) return null
  const growth = bytes.length - known.bytes.length
  const story = readStory(bytes.subarray(starts[index]!, ends[index]! + growth))
  if (story?.id !== old.id) return null
  return {
    bytes,
    file: { ...file, userStories: file.userStories.with(index, story) },
    places: growth === 0 ? places : movedAfter(places, index, growth),
  }
}

/** One valid story; null if it is not exactly that. */
function readStory(bytes: Buffer): Story | null {
  // Elsewhere a byte order mark is skipped; within the file it is an error.
  if (bytes[0] !== CODES.openObject) return null
  try {
    const story = parseJson(bytes.toString(), DEPTH)
    return storyErrors([story]).length === 0 ? (story as Story) : null
  } catch {
    return null
  }
}

/** How many bytes at the start and at the end of two texts are the same. No byte counts twice. */
function sameBytes(a: Buffer, b: Buffer): { before: number; after: number } {
  const shorter = Math.min(a.length, b.length)
  const before = mostOf(shorter, (from, to) => a.subarray(from, to).equals(b.subarray(from, to)))
  const after = mostOf(shorter - before, (from, to) =>
    a.subarray(a.length - to, a.length - from).equals(b.subarray(b.length - to, b.length - from)),
  )
  return { before, after }
}

/** The most bytes, up to `limit`, that are the same. Each step halves what is unknown. */
function mostOf(limit: number, isSame: (from: number, to: number) => boolean): number {
  let least = 0
  let most = limit
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (isSame(least, middle)) least = middle
    else most = middle - 1
  }
  return least
}

const movedAfter = ({ starts, ends }: Places, index: number, by: number): Places => ({
  starts: starts.map((start, at) => (at > index ? start + by : start)),
  ends: ends.map((end, at) => (at >= index ? end + by : end)),
})

/** Where the stories are in a valid file. Of several lists with the name, JSON.parse takes the last, and so does this. */
function placesOf(json: Buffer): Places {
  let places: Places = { starts: [], ends: [] }
  let key = '""'
  let isList = false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const code = json[at]
    if (code === CODES.quote) {
      const end = endOfString(json, at)
      // At this depth the last string before a list is its key.
      if (depth === 1) key = json.toString('utf8', at, end)
      at = end - 1
    } else if (code === CODES.openList || code === CODES.openObject) {
      depth++
      if (depth === 2) isList = JSON.parse(key) === 'userStories'
      if (depth === 2 && isList) places = { starts: [], ends: [] }
      if (depth === 3 && isList) places.starts.push(at)
    } else if (code === CODES.closeList || code === CODES.closeObject) {
      if (depth === 3 && isList) places.ends.push(at + 1)
      depth--
    }
  }
  return places
}

const CODES = { quote: 34, backslash: 92, openList: 91, closeList: 93, openObject: 123, closeObject: 125 }

/** The position after the string that begins at `start`. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== CODES.quote) at += json[at] === CODES.backslash ? 2 : 1
  return at + 1
}
