import { describeWriteError } from '../store/files/writable.ts'
import { printError } from './print.ts'

const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * A reader that went away (`| head`, a closed terminal) is not an error. If the disk does not take what is printed, a
 * script must not believe that it has all of it.
 */
export function watchOutput(): void {
  let isCut = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isCut || !NO_SPACE.has(error.code)) return
    isCut = true
    printError(`ralph: error: ${describeWriteError(error, 'standard output')}; some of the output is lost`)
    process.once('exit', () => {
      process.exitCode ||= 1
    })
  })
  process.stderr.on('error', () => {})
}
