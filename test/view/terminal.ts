import xterm from '@xterm/headless'

/** A terminal that keeps all its lines and writes down whatever it was told to do besides showing text. */
export function openTerminal(columns: number, height = 40) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: height,
    scrollback: 200_000,
    convertEol: true,
    allowProposedApi: true,
  })
  const heard: string[] = []
  terminal.onTitleChange(title => heard.push(`title ${title}`))
  terminal.onBell(() => heard.push('bell'))
  // What it would send to the program as if someone had typed it.
  terminal.onData(data => heard.push(`answer ${JSON.stringify(data)}`))
  for (const code of [4, 7, 8, 9, 52, 133, 777, 1337])
    terminal.parser.registerOscHandler(code, () => {
      heard.push(`osc ${code}`)
      return true
    })
  return {
    heard,
    write: (data: string | Uint8Array) => new Promise<void>(resolve => terminal.write(data, resolve)),
    resize: (to: number, rows = height) => terminal.resize(to, rows),
    /** Everything shown so far, without the empty end. */
    rows(): string[] {
      const { active } = terminal.buffer
      const rows = Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true))
      while (rows.at(-1) === '') rows.pop()
      return rows
    },
    /** The rows that are seen now. */
    screen(): string[] {
      const { active } = terminal.buffer
      return Array.from({ length: terminal.rows }, (_, y) =>
        active
          .getLine(active.baseY + y)!
          .translateToString(true)
          .trimEnd(),
      )
    },
    modes: () => ({ ...terminal.modes, buffer: terminal.buffer.active.type }),
    /** Whether the cursor is where the next line would begin. */
    isAtLineStart: () => terminal.buffer.active.cursorX === 0,
  }
}
