import { printableLine } from '../core/visible.ts'

/** The streams of a terminal. */
export type TerminalStreams = {
  stdin: {
    isTTY?: boolean
    setRawMode?(isRaw: boolean): unknown
    on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
    off(event: 'data', listener: (chunk: Uint8Array) => void): unknown
    resume(): unknown
    pause(): unknown
  }
  stdout: ScreenOutput & {
    isTTY?: boolean
    columns?: number
    rows?: number
    on(event: 'resize' | 'drain', listener: () => void): unknown
    off(event: 'resize' | 'drain', listener: () => void): unknown
  }
}

/** The alternate screen, no cursor, lines that are cut instead of broken, and pasted text marked as such. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h'
const LEAVE = '\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'

export type FullScreen = {
  enter(): void
  /** Gives the terminal back as it was; also at exit, however that comes. */
  leave(): void
}

export function fullScreen({ stdin, stdout }: TerminalStreams, onTyped: (text: string) => void): FullScreen {
  let isOn = false
  const decoder = new TextDecoder()
  const onData = (chunk: Uint8Array) => onTyped(decoder.decode(chunk, { stream: true }))
  const leave = () => {
    if (!isOn) return
    isOn = false
    process.off('exit', leave)
    stdin.off('data', onData)
    stdin.setRawMode?.(false)
    stdin.pause()
    stdout.write(LEAVE)
  }
  return {
    enter() {
      if (isOn) return
      isOn = true
      process.on('exit', leave)
      stdout.write(ENTER)
      stdin.setRawMode?.(true)
      stdin.on('data', onData)
      stdin.resume()
    },
    leave,
  }
}

/** Where frames go. */
type ScreenOutput = {
  write(text: string): unknown
  /** What the terminal has not taken yet. */
  writableLength?: number
}

/** A terminal that knows these shows all of a frame at once; others ignore them. */
const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'

/**
 * Draws frames: only the lines that changed. A terminal obeys nothing in a line but ralph's own colours, and a line cannot
 * leave its row.
 */
export function renderer(out: ScreenOutput): {
  /** Returns whether it was drawn; not while the terminal is behind. */
  draw(lines: readonly string[]): boolean
  /** The next frame is drawn whole. */
  forget(): void
} {
  let shown: readonly string[] | null = null
  return {
    draw(lines) {
      if ((out.writableLength ?? 0) > 0) return false
      const before = shown
      const changed = lines.flatMap((line, row) =>
        before?.[row] === line ? [] : `\x1b[${row + 1};1H\x1b[2K${printableLine(line, true)}\x1b[0m`,
      )
      const isNew = before === null || before.length !== lines.length
      shown = lines
      if (changed.length > 0 || isNew)
        out.write(`${BEGIN}${isNew ? '\x1b[2J' : ''}${isNew ? wholeOf(lines) : changed.join('')}${END}`)
      return true
    },
    forget() {
      shown = null
    },
  }
}

const wholeOf = (lines: readonly string[]): string =>
  lines.map((line, row) => `\x1b[${row + 1};1H${printableLine(line, true)}\x1b[0m`).join('')
