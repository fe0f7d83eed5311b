import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepFolderOnDisk } from '../support/memory.ts'

keepFolderOnDisk()

/** The files that take longest begin first: one of them at the end would run alone. */
const LONG = ['loop', 'trouble', 'plugin', 'build', 'judge'].map(name => `/test/real/${name}.test.ts`)

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex(name => moduleId.endsWith(name))
      return at >= 0 ? at : LONG.length
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Each of these starts heavy programs, but half of the time it waits for one: more would only wait for each other.
    maxWorkers: 2,
    // What a worker has learned of the CLIs serves all its files.
    isolate: false,
    sequence: { sequencer: LongFirst },
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/ralph/test-real.json' }]],
  },
})
