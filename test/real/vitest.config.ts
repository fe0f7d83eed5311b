import { defineConfig } from 'vitest/config'
import { keepFolderOnDisk } from '../support/memory.ts'

keepFolderOnDisk()

export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Each of these starts heavy programs; side by side they would only wait for each other.
    fileParallelism: false,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/ralph/test-real.json' }]],
  },
})
