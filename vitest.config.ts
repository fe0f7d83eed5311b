import { defineConfig } from 'vitest/config'

/** Tests that start no processes. */
const PURE = ['agents', 'blocklist', 'checks', 'core', 'settings', 'view', 'workers/rules', 'workflows'].map(
  folder => `test/${folder}/**/*.test.ts`,
)

export default defineConfig({
  test: {
    // Most of the time goes by waiting for other processes: more workers than a small machine has cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/ralph/test.json' }]],
    projects: [
      // These files share the modules they load: to load them again for each file takes longer than the tests.
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      // A worker that had run many files would be large, and then each process takes long to start.
      {
        extends: true,
        test: { name: 'processes', include: ['test/**/*.test.ts'], exclude: [...PURE, 'test/real/**'] },
      },
    ],
  },
})
