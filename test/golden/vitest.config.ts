import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { keepFolderOnDisk, keepScratchInMemory } from '../support/memory.ts'

keepScratchInMemory()
keepFolderOnDisk()

const HOSTED = join(import.meta.dirname, 'hosted.ts')

/** Several agents at once, kills, and waits: what they leave behind depends on the time. */
const UNSTEADY = [
  'parallel*',
  '*chaos',
  '*kill*',
  'signals',
  'suspended',
  'slow-reader',
  'stops',
  'terminal*',
  'narrow',
]

export default defineConfig({
  // Tests that would host the program get the recording one instead.
  plugins: [
    {
      name: 'record',
      enforce: 'pre',
      resolveId: (id, importer) =>
        id.endsWith('/support/hosted.ts') && importer !== HOSTED ? HOSTED : undefined,
    },
  ],
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/cli/**/*.test.ts'],
    exclude: UNSTEADY.map(name => `test/cli/${name}.test.ts`),
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    pool: 'forks',
    reporters: ['dot'],
  },
})
