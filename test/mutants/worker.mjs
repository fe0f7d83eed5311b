/**
 * Runs tests on the mutants of one file, in a copy of the project, and prints a line of JSON for each. Its input is a
 * JSON object: the copy, the file in it, the tests, the first mutant to try.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
import { mutantsOf, mutantsOfText } from './mutate.mjs'

const { copy, file, tests, first } = JSON.parse(process.argv[2])
const path = join(copy, file)
const source = readFileSync(path, 'utf8')
const mutants = file.endsWith('.ts') ? mutantsOf(source) : mutantsOfText(source)
const say = entry => process.stdout.write(`${JSON.stringify(entry)}\n`)

const vitest = await createVitest('test', {
  root: copy,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  pool: 'threads',
  fileParallelism: false,
  testTimeout: 10_000,
  // Large inputs take too long for this.
  testNamePattern: /^(?!.*in proportion to)/,
  reporters: [{}],
  includeTaskLocation: false,
})
const specifications = (await vitest.globTestSpecifications(tests)).flat()

async function survives() {
  vitest.invalidateFile(path)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  return unhandledErrors.length === 0 && testModules.every(module => module.ok())
}

try {
  if (first === 0 && !(await survives())) say({ broken: true })
  else
    for (let index = first; index < mutants.length; index++) {
      const { from, to, text } = mutants[index]
      say({ trying: index })
      writeFileSync(path, source.slice(0, from) + text + source.slice(to))
      say({ index, survived: await survives() })
    }
} finally {
  writeFileSync(path, source)
  await vitest.close()
  // Vitest sets it when a test fails.
  process.exitCode = 0
}
