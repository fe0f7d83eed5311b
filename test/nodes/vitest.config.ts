import { defineConfig } from 'vitest/config'
import { keepScratchInMemory } from '../support/memory.ts'

keepScratchInMemory()

// The kernel, and what depends most on Node itself: processes, signals, files, terminals, start-up.
export default defineConfig({
  test: {
    include: [
      'test/{core,engine,store}/**/*.test.ts',
      'test/runners/{end,start,warden}.test.ts',
      'test/host/{clock,seams}.test.ts',
      'test/cli/{held,signals,terminal-signals,terminal-stopped}.test.ts',
    ],
    // The walks are long and say nothing about Node.
    exclude: ['test/core/walks.test.ts'],
    maxWorkers: 3,
    // As in npm test: what modules keep is found by a path, so test files can share them.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: [
      'dot',
      ['json', { outputFile: process.env.RALPH_REPORT ?? 'node_modules/.cache/ralph/node.json' }],
    ],
  },
})
