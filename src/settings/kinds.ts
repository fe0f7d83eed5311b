import picomatch from 'picomatch'
import * as z from 'zod/mini'
import { findGlobProblem, GLOB_OPTIONS } from '../core/glob.ts'
import { hiddenIn } from '../core/visible.ts'
import { DURATION, parseDuration, splitWords } from './words.ts'

// The kinds of values in the settings. Each has the error message for a wrong value:
// `<path> <message>, not <value> (<file>)`.

/** The longest timer of Node; a longer one would fire at once. */
const MAX_SECONDS = 2_147_483

const MAX_EXCERPT = 10_000_000

/** A NUL ends a C string, so no argument, name or path can contain one. */
const NO_NUL = z.regex(/^[^\0]*$/, 'must be text without NUL characters')

export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, 'must be an object')

/** An object whose keys all have defaults, so it can be left out. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.prefault(object(shape), {} as never)

export const flag = z.boolean('must be true or false')

export const text = z.string('must be a string').check(NO_NUL)

export const line = text.check(z.regex(/^[^\r\n]*$/, 'must be one line'))

const filled = text.check(z.regex(/\S/, 'must be a non-empty string'))

const filledString = z
  .string('must be a string or null')
  .check(NO_NUL, z.regex(/\S/, 'must be a non-empty string or null'))

export const webAddressOrNull = z.nullable(
  filledString.check(
    z.refine(address => /^https?:\/\//.test(address) && URL.canParse(address), {
      error: 'must be an address that begins with https:// or http://, or null',
    }),
  ),
)

/** An agent could take a model that begins with a dash for an option. */
export const modelOrNull = z.nullable(
  filledString.check(z.regex(/^(?!\s*-)/, 'must not begin with a dash, as an option does')),
)

/** Commands are shown to the user for trust first, so they must not contain hidden characters. */
const VISIBLE = z.refine<string>(value => hiddenIn(value) === null, {
  error: ({ input }) => `must be text without invisible characters (${hiddenIn(input as string)})`,
})

const visible = z.string('must be a string').check(VISIBLE)

export const command = visible.check(z.regex(/\S/, 'must be a non-empty string'))

export const commandOrNull = z.nullable(
  z.string('must be a string or null').check(VISIBLE, z.regex(/\S/, 'must be a non-empty string or null')),
)

export const amountOrNull = z.nullable(
  z.number('must be a number or null').check(z.gt(0, 'must be greater than 0, or null')),
)

const price = z.number('must be a number').check(z.gte(0, 'must be at least 0'))

/** Prices in dollars per million tokens, by model or agent. */
export const prices = z.record(
  z.string(),
  object({ input: price, output: price, cached: z.optional(price), cacheWrite: z.optional(price) }),
  'must be an object of prices by model',
)

const whole = z.int('must be a whole number')

export const count = whole.check(z.gte(0, 'must be at least 0'))

/** How many characters of a text go into a prompt. The limit keeps it readable and in memory. */
export const excerptLength = count.check(z.lte(MAX_EXCERPT, `must be at most ${MAX_EXCERPT}`))

export const positiveCount = whole.check(z.gte(1, 'must be at least 1'))

const time = z
  .number('must be a number of seconds')
  .check(z.lte(MAX_SECONDS, `must be at most ${MAX_SECONDS}`))

export const seconds = time.check(z.gt(0, 'must be greater than 0'))

export const secondsOrNone = time.check(z.gte(0, 'must be at least 0'))

const DURATION_ERROR = 'must be a duration such as "6h", "30m" or "90s", or a number of seconds'

/** `"6h"` or a number of seconds; the result is in seconds. */
export const duration = z.pipe(
  z.pipe(
    z.union([z.number(), z.string().check(z.regex(DURATION, DURATION_ERROR))], DURATION_ERROR),
    z.transform(value => (typeof value === 'number' ? value : parseDuration(value)!)),
  ),
  secondsOrNone,
)

export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `must be ${either(values)}`)

/** Reads any case, and returns upper case. */
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

/** File patterns in the project. */
export const globs = listOf(
  text.check(
    z.regex(/\S/, { error: 'must be a non-empty string', abort: true }),
    z.refine(pattern => globProblem(pattern) === null, { error: issue => globProblem(String(issue.input)) }),
  ),
)

/** Arguments for a command; each entry is split as a shell would split it. */
export const flags = listOf(
  visible.check(z.refine(entry => splitWords(entry) !== null, 'must close every quote')),
)

/** Names of environment variables, or patterns with `*` and `?`. Other glob characters would match nothing. */
export const names = listOf(
  text.check(
    z.regex(
      /^(?!!)[^\s={}[\]|]+$/,
      'must be the name of an environment variable or a pattern such as "AWS_*"',
    ),
  ),
)

/** Names of an agent's tools. They are joined with commas, so a name must not contain one. */
export const toolNames = listOf(text.check(z.regex(/^[^\s,]+$/, 'must be the name of a tool')))
