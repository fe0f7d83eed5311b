import { describe, expect, it } from 'vitest'
import { wrapTo } from '../../src/view/text/fit.ts'
import { table } from '../../src/view/text/table.ts'
import { cutPathTo } from '../../src/view/text/width.ts'

const RED = '\x1b[31m'
const END = '\x1b[39m'

const RUNS = [
  ['NAME', 'COST', 'PROJECT'],
  ['wise-fox', '$1.20', '/home/me/shop'],
  ['日本', '$0.004', '/srv'],
]

describe('a table', () => {
  it('has its columns below each other, whatever characters and colours are in them', () => {
    expect(table([...RUNS, [`${RED}red${END}`, '', '/']])).toEqual([
      'NAME      COST    PROJECT',
      'wise-fox  $1.20   /home/me/shop',
      '日本      $0.004  /srv',
      `${RED}red${END}               /`,
    ])
  })

  it('has a margin, numbers that end below each other, and columns of a least width', () => {
    expect(table(RUNS.slice(1), { margin: '  ', right: [1], least: [10] })).toEqual([
      '  wise-fox     $1.20  /home/me/shop',
      '  日本        $0.004  /srv',
    ])
    expect(
      table(
        [
          ['a', '1'],
          ['b', '10'],
        ],
        { right: [1] },
      ),
    ).toEqual(['a   1', 'b  10'])
  })

  it('cuts the last cell to what is left of the width, and on a narrow screen the row', () => {
    expect(table(RUNS, { width: 28, cut: cutPathTo })[1]).toBe('wise-fox  $1.20   …e/me/shop')
    expect(table(RUNS, { width: 12 })[1]).toBe('wise-fox  $…')
  })

  it('breaks the last cell into rows of its own column', () => {
    const rows = [
      ['why', 'it was cut off and nothing is left'],
      ['', 'the end'],
    ]
    const options = {
      margin: '  ',
      least: [4],
      width: 24,
      wrap: (cell: string, room: number) => wrapTo(cell, room),
    }
    expect(table(rows, options)).toEqual([
      '  why   it was cut off',
      '        and nothing is',
      '        left',
      '        the end',
    ])
    expect(table(rows.slice(1), { ...options, width: 2, room: 4 })).toEqual(['        the', '        end'])
  })

  it('is nothing without rows', () => {
    expect(table([])).toEqual([])
  })
})
