import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/real/**'],
    // Most of the time goes by waiting for other processes: more workers than a small machine has cores.
    maxWorkers: 3,
    // What modules keep is found by a path, so test files can share them: loading them for each file takes long.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/ralph/test.json' }]],
  },
})
