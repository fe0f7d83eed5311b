import picomatch from 'picomatch'
import * as z from 'zod/mini'
import { findGlobProblem, GLOB_OPTIONS } from '../core/glob.ts'
import { hiddenIn } from '../core/visible.ts'
import { DURATION, parseDuration } from './duration.ts'
import { splitWords } from './words.ts'

// The kinds of values in the settings. Each carries the sentence that a wrong value gets:
// `<path> <sentence>, not <value> (<file>)`.

/** What a timer of Node can hold; a longer one would fire at once. */
const MAX_SECONDS = 2_147_483

const MAX_TOLD = 10_000_000

/** A NUL ends a C string: no argument, name or file can hold one. */
const NO_NUL = z.regex(/^[^\0]*$/, 'must be text without NUL characters')

export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, 'must be an object')

/** An object whose keys have defaults of their own. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.prefault(object(shape), {} as never)

export const flag = z.boolean('must be true or false')

export const text = z.string('must be a string').check(NO_NUL)

export const line = text.check(z.regex(/^[^\r\n]*$/, 'must be one line'))

const filled = text.check(z.regex(/\S/, 'must be a non-empty string'))

export const filledOrNull = z.nullable(
  z.string('must be a string or null').check(NO_NUL, z.regex(/\S/, 'must be a non-empty string or null')),
)

/** What is run is shown and asked about first, so it may hold nothing that would not be seen. */
const VISIBLE = z.refine<string>(value => hiddenIn(value) === null, {
  error: ({ input }) => `must be written without ${hiddenIn(input as string)}`,
})

const visible = z.string('must be a string').check(VISIBLE)

export const command = visible.check(z.regex(/\S/, 'must be a non-empty string'))

export const commandOrNull = z.nullable(
  z.string('must be a string or null').check(VISIBLE, z.regex(/\S/, 'must be a non-empty string or null')),
)

export const amountOrNull = z.nullable(
  z.number('must be a number or null').check(z.gt(0, 'must be greater than 0, or null')),
)

const whole = z.int('must be a whole number')

export const count = whole.check(z.gte(0, 'must be at least 0'))

/** How much of a text an agent is told: none could read more, and ralph must be able to hold it. */
export const excerptLength = count.check(z.lte(MAX_TOLD, `must be at most ${MAX_TOLD}`))

export const positiveCount = whole.check(z.gte(1, 'must be at least 1'))

const time = z
  .number('must be a number of seconds')
  .check(z.lte(MAX_SECONDS, `must be at most ${MAX_SECONDS}`))

export const seconds = time.check(z.gt(0, 'must be greater than 0'))

export const secondsOrNone = time.check(z.gte(0, 'must be at least 0'))

const NO_DURATION = 'must be a duration such as "6h", "30m" or "90s", or a number of seconds'

/** `"6h"` or a number of seconds; the result is in seconds. */
export const duration = z.pipe(
  z.pipe(
    z.union([z.number(), z.string().check(z.regex(DURATION, NO_DURATION))], NO_DURATION),
    z.transform(value => (typeof value === 'number' ? value : parseDuration(value)!)),
  ),
  secondsOrNone,
)

export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `must be ${either(values)}`)

/** Any case is read, upper case is what it becomes. */
export const upperCase = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.pipe(z.string(`must be ${either(values)}`).check(z.toUpperCase()), oneOf(...values))

export const either = (values: readonly string[]): string => {
  const quoted = values.map(value => JSON.stringify(value))
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/** An object, or a bare string that stands for one of its keys. */
export const orName = <Kind extends z.core.$ZodType>(kind: Kind, key: string) =>
  z.pipe(
    z.transform((value: unknown) => (typeof value === 'string' ? { [key]: value } : value)),
    kind,
  )

const listOf = <Entry extends z.core.$ZodType>(entry: Entry) => z.array(entry, 'must be a list of strings')

export const texts = listOf(filled)

export const commands = listOf(command)

const globProblem = (pattern: string) => findGlobProblem(pattern, glob => picomatch(glob, GLOB_OPTIONS))

/** Patterns of files in the project. */
export const globs = listOf(
  text.check(
    z.regex(/\S/, { error: 'must be a non-empty string', abort: true }),
    z.refine(pattern => globProblem(pattern) === null, { error: issue => globProblem(String(issue.input)) }),
  ),
)

/** Arguments for a command, each entry to be split as a shell would. */
export const flags = listOf(
  visible.check(
    z.refine(entry => splitWords(entry) !== null, 'must have a second quote for every first one'),
  ),
)

/** Names of environment variables, or patterns of them: `*` and `?` only. Other signs of globs would match nothing. */
export const names = listOf(
  text.check(
    z.regex(
      /^(?!!)[^\s={}[\]|]+$/,
      'must be the name of an environment variable or a pattern such as "AWS_*"',
    ),
  ),
)

/** Names of an agent's tools. A comma would part one from the next. */
export const toolNames = listOf(text.check(z.regex(/^[^\s,]+$/, 'must be the name of a tool')))
