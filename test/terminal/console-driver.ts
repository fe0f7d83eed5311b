/** A process with a live status that ends in some way. Its output is a pipe that it takes for a terminal. */
import { consoleListener } from '../../src/terminal/console.ts'

const [ending = ''] = process.argv.slice(2)
const out = {
  isTTY: true,
  columns: 80,
  write: (data: string | Uint8Array, done?: () => void) => process.stdout.write(data, done),
  on: () => {},
}
const show = consoleListener(
  out,
  { TERM: 'xterm' },
  {
    json: false,
    quiet: false,
    streamAgent: true,
    limit: null,
    output: { emoji: true, color: 'never', timestamps: false, maxLines: 12, maxChars: 2000 },
  },
)
show({ type: 'instructed', at: 0, text: 'before' })
show({ type: 'checking', at: Date.now(), id: 1, check: 'npm test' })

function signalMyself(): void {
  process.kill(process.pid, 'SIGINT')
  // It comes with a later turn of the event loop.
  setTimeout(() => {}, 10_000)
}

const endings: Record<string, () => void> = {
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('a bug')
  },
  /** Nobody else listens: it dies of the signal. */
  interrupt: () => signalMyself(),
  /** Someone listens and says so. */
  say: () => {
    process.on('SIGINT', () => {
      process.stdout.write('Received signal\n')
      show.close()
      process.exit(130)
    })
    signalMyself()
  },
}
// With `leave` nothing is left to do, and the status is no reason to stay. Otherwise it is drawn with the first beat.
if (ending !== 'leave') setTimeout(() => endings[ending]?.(), 600)
