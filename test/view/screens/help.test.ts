import { describe, expect, it } from 'vitest'
import { LARGE, modelWith, openScreen } from './scene.ts'

const open = (size?: typeof LARGE) => {
  const screen = openScreen(modelWith(), size && { size })
  screen.type('?')
  return screen
}

describe('the keys', () => {
  it('are shown in pages where not all fit, and no line is cut', () => {
    const screen = open()
    const first = screen.text()
    expect(first).toContain('any key shows more')
    screen.type(' ')
    const second = screen.text()
    expect(second).toContain('any key closes this')
    expect(first + second).not.toContain('…\n')
    for (const text of ['leave; no run is stopped by it', 'prompt, stream, log of a check in $PAGER'])
      expect(first + second).toContain(text)
    expect(second).not.toContain('these keys')
    screen.type(' ')
    expect(screen.ui().help).toBe(null)
  })

  it('are all shown at once on a large terminal', () => {
    const screen = open(LARGE)
    expect(screen.text()).toContain('these keys')
    expect(screen.text()).toContain('prompt, stream, log of a check in $PAGER')
    screen.type('x')
    expect(screen.ui()).toMatchObject({ help: null, confirm: null })
  })

  it('are closed by Esc on any page', () => {
    const screen = open()
    screen.type('\x1b')
    expect(screen.ui().help).toBe(null)
  })
})
