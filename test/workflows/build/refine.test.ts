import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRefined, refinePrompt } from '../../../src/workflows/build/rules/refine.ts'

describe('the refine prompt', () => {
  const prompt = refinePrompt('Build a snake game', ['no canvas'])

  it('has the request, three references and seven steps', () => {
    expect(prompt).toContain(
      '<request>\nBuild a snake game\n</request>\n\nInstruction from the user: no canvas\n',
    )
    expect([...prompt.matchAll(/<reference name="(.*)">/g)].map(([, name]) => name)).toEqual([
      'core prompting',
      'advanced patterns',
      'quality',
    ])
    expect([...prompt.matchAll(/^(\d)\. /gm)].map(([, n]) => n)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  })
})

describe('the refined text', () => {
  it.each([
    ['is what stands in the tag', 'Steps.\n<refined>\nDo it.\nWell.\n</refined>\nBye', 'Do it.\nWell.'],
    ['is that of the last tag', '<refined>draft</refined> no: <refined>final</refined>', 'final'],
    ['is in the tag whatever its case', '<Refined>x</REFINED>', 'x'],
    ['is not the empty tag behind it', '<refined>x</refined> in <refined> </refined>', 'x'],
    [
      'may speak of the tag itself',
      '<refined>a <refined>b</refined> c</refined>',
      'a <refined>b</refined> c',
    ],
    ['begins at the tag that is closed', 'I use <refined> now: <refined>x</refined>', 'x'],
    ['may stand in a fence', '```\n<refined>x</refined>\n```', 'x'],
    ['may be a fence', '<refined>\n```markdown\n# Goal\nx\n```\n</refined>', '# Goal\nx'],
    [
      'keeps its own fences',
      '<refined>\n```\na\n```\nb\n```\nc\n```\n</refined>',
      '```\na\n```\nb\n```\nc\n```',
    ],
    ['is not there without a tag', 'Build a snake game', undefined],
    ['is not there in an open tag', '<refined>x', undefined],
    ['is not there in a closing tag', 'x</refined>', undefined],
    ['is not there in an empty tag', '<refined>\n \n</refined>', undefined],
    ['is not there in an empty fence', '<refined>\n```\n```\n</refined>', undefined],
  ])('%s', (_, answer, text) => {
    expect(readRefined(answer)).toBe(text)
  })

  it('is found in time that is in proportion to the answer', () => {
    expect(readRefined('<refined>'.repeat(100_000))).toBeUndefined()
    expect(readRefined('<refined></refined>'.repeat(100_000))).toBeUndefined()
    expect(readRefined(`${'<refined>'.repeat(50_000)}x${'</refined>'.repeat(50_000)}`)).toContain('x')
  })

  it('never throws, and is never blank', () => {
    const piece = fc.constantFrom('<refined>', '</refined>', '```', '~~~', '\n', ' ', 'x')
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        expect(readRefined(pieces.join(''))?.trim()).not.toBe('')
      }),
    )
  })
})
