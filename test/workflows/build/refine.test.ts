import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRefined, refinePrompt } from '../../../src/workflows/build/rules/refine.ts'

describe('the refine prompt', () => {
  const prompt = refinePrompt('Build a snake game', ['no canvas'])

  it('has the request, three references and seven steps', () => {
    expect(prompt).toContain(
      '<request>\nBuild a snake game\n</request>\n\nInstruction from the user: no canvas\n\n<reference',
    )
    expect(refinePrompt('x', ['a', 'b'])).toContain('user: a\n\nInstruction from the user: b\n\n<reference')
    expect(refinePrompt('x')).toContain('</request>\n\n<reference')
    expect([...prompt.matchAll(/<reference name="(.*)">/g)].map(([, name]) => name)).toEqual([
      'core prompting',
      'advanced patterns',
      'quality',
    ])
    expect([...prompt.matchAll(/^(\d)\. (\w+)/gm)].map(([, n, word]) => `${n} ${word}`)).toEqual([
      '1 Understand',
      '2 Collect',
      '3 Find',
      '4 Choose',
      '5 Structure',
      '6 Add',
      '7 Write',
    ])
  })

  const flat = prompt.replace(/\s+/g, ' ')

  it.each([
    'You refine the request below, so that coding agents that know nothing but your text can plan it and carry it out.',
    'You change how it is said, never what is wanted: no new features, no other technology, nothing left out.',
    'Do not carry it out, and do not edit any file; you may read the project to get names and places right.',
    'Go through these seven steps, in writing, briefly:',
    'Understand: say in one sentence what is to exist afterwards, and for whom.',
    'Collect: list every requirement, limit and name that the request gives. All of them must come back in step 7.',
    'Find the gaps: list what is open. Answer from the project where it answers; otherwise take the plainest choice and mark it as an assumption.',
    'Choose techniques: say which of the references help here, and which would only add words.',
    'Structure: order the text in sections with XML tags, from context over requirements to limits.',
    'Add quality controls: say for every requirement how one can tell that it is met, by a command where there is one.',
    'Write it, compare it with the list of step 2, and add what is missing.',
    'End your answer with the refined request between <refined> and </refined>, complete and in the language of the original: everything outside of these tags is thrown away. If the request cannot be improved, repeat it there.',
  ])('says: %s', sentence => {
    expect(flat).toContain(sentence)
  })

  const reference = (name: string) => flat.split(`<reference name="${name}"> `)[1]!.split(' </reference>')[0]!

  it.each<[string, string[]]>([
    [
      'core prompting',
      [
        'Say the result first, then the way. "A command that exports the orders as CSV" can be checked; "improve the export" cannot.',
        'Give the reason where it changes decisions: who uses it, how often, what happens when it fails.',
        'Name things as the project names them: files, commands, types, routes. A name replaces a paragraph.',
        'Say what must stay as it is. Agents assume that they may change the rest.',
        'Say what to do rather than what not to do; a list of forbidden things shows no way.',
        'Give one example where a form matters: an input with its output, a line of the file, a call with its answer.',
        'Keep facts (what is there), requirements (what must be) and wishes (what would be nice) apart.',
        'Numbers, not adjectives: "under 200 ms for 10,000 rows" instead of "fast".',
      ],
    ],
    [
      'advanced patterns',
      [
        'Steps: where the order matters, number it, and say what is there after each step. Where it does not matter, do not.',
        'Parts: what can be built and tested alone is described alone, with what it takes and what it gives back.',
        'Foundations: name first what several parts rest on (data, interfaces, configuration), so that it is built once.',
        'Sections in XML tags: <context>, <requirements>, <constraints>, <acceptance>. Tags keep quoted material apart from instructions; long material comes before the request that speaks of it.',
        'Thinking before doing: where there are several ways, ask for a comparison by stated criteria and a decision, in writing, before the first edit.',
        'Cases: write down the edges that are decided (empty, very large, twice, at the same time, without permission) as pairs of situation and behaviour.',
        'Roles only where they bring knowledge ("as an accountant reads a balance"), not as decoration.',
        'Nothing of this is an end in itself: a request of two sentences that leaves nothing open needs none of it.',
      ],
    ],
    [
      'quality',
      [
        'Every requirement has a criterion that someone else can check: a command and its result, a test that exists afterwards, something to be seen.',
        'Criteria are about behaviour, not about effort: "returns 401 for an expired token", not "handle errors well".',
        'Nothing contradicts anything else; where two rules can meet, it is said which of them wins.',
        'Assumptions are marked as assumptions, so that a person can object before work begins.',
        'Unknowns are named, not glossed over: an agent that may say "I do not know" guesses less.',
        'The scope has an edge: a short list of what does not belong to it.',
        'The text stands alone: a reader without the conversation, the ticket or the author can work from it.',
        'Read it once as someone who wants to misunderstand it, and fix the places where that succeeds.',
      ],
    ],
  ])('has the whole reference %s', (name, sentences) => {
    expect(reference(name)).toBe(sentences.map(sentence => `- ${sentence}`).join(' '))
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
