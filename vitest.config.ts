import { defineConfig } from 'vitest/config'
import { BaseSequencer, ForksPoolWorker, type PoolOptions, type TestSpecification } from 'vitest/node'
import { keepFolderOnDisk, keepScratchInMemory } from './test/support/memory.ts'

keepScratchInMemory()
keepFolderOnDisk()

/** Tests that start no processes. */
const PURE = ['agents', 'blocklist', 'checks', 'core', 'settings', 'view', 'workers/rules', 'workflows'].map(
  folder => `test/${folder}/**/*.test.ts`,
)

/** The files that take longest. They begin first: one of them at the end would run alone. */
const LONG = [
  'cli/stories-chaos',
  'cli/chaos',
  'cli/kill',
  'cli/build-crash',
  'host/story-edits',
  'core/walks',
  'cli/slow-reader',
  'cli/stops',
  'cli/suspended',
  'cli/no-room',
].map(name => `/test/${name}.test.ts`)

/** The long files first; then project by project, because only a file of the same project can take over a worker. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = LONG.findIndex(name => moduleId.endsWith(name))
      return at >= 0 ? at : LONG.length + (project.name === 'pure' ? 1 : 0)
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

/**
 * A worker for some files one after the other. For each to load all modules again would take longer than many of them;
 * but a worker grows with every file, and the larger it is, the longer each process takes to start.
 */
class WorkerForSome extends ForksPoolWorker {
  static FILES = 12
  override name = 'for-some'
  private files = 0

  override send(message: Parameters<ForksPoolWorker['send']>[0]): void {
    if (message.type === 'run') this.files++
    super.send(message)
  }

  canReuse(): boolean {
    return this.files < WorkerForSome.FILES
  }
}

export default defineConfig({
  test: {
    // Most of the time goes by waiting for other processes: more workers than a small machine has cores.
    maxWorkers: 4,
    // What hangs is noticed by these; what is slow, because the machine is busy, is no defect.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/ralph/test.json' }]],
    sequence: { sequencer: InOrder },
    // What modules keep is found by a path, so test files can share them.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE } },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, 'test/real/**'],
          pool: {
            name: 'for-some',
            createPoolWorker: (options: PoolOptions) => new WorkerForSome(options),
          },
          // Garbage of this worker is copied too when it starts a process: let it collect little before it cleans up.
          execArgv: ['--max-semi-space-size=2'],
        },
      },
    ],
  },
})
