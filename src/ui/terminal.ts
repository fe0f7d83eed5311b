import type { ScreenOutput } from './renderer.ts'

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
