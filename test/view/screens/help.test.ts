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
    for (const text of ['leave; this stops no run', 'prompt, stream or check log in $PAGER'])
      expect(first + second).toContain(text)
    expect(second).not.toContain('these keys')
    screen.type(' ')
    expect(screen.ui().help).toBe(null)
  })

  it('are all shown at once on a large terminal', () => {
    const screen = open(LARGE)
    expect(screen.text()).toContain('these keys')
    expect(screen.text()).toContain('prompt, stream or check log in $PAGER')
    screen.type('x')
    expect(screen.ui()).toMatchObject({ help: null, confirm: null })
  })

  it('are offered at the bottom of every view, also at 80 columns', () => {
    const screen = openScreen(modelWith())
    expect(screen.text()).toMatch(/\? keys · q leaves$/)
    screen.type('m')
    expect(screen.text()).toMatch(/Esc back +\? keys · q leaves$/)
  })

  it('are closed by Esc on any page', () => {
    const screen = open()
    screen.type('\x1b')
    expect(screen.ui().help).toBe(null)
  })
})
