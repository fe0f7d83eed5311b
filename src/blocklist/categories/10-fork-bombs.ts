import type { Call } from '../call.ts'
import { writes } from '../effects.ts'
import type { Category } from '../rule.ts'

const LIMITERS = /^(?:head|dd|pv|timeout|sed|read)$/
const ENDLESS = /(?:^| )(?:if=)?\/dev\/(?:zero|urandom|random)(?: |$)/
const FILLS = /^(?=.*if=\/dev\/(?:zero|u?random)\b)(?=.*of=(?!\/dev\/null\b))(?!.*\bcount=)/

const isUnlimited = (call: Call): boolean => !call.pipeline.some(({ name }) => LIMITERS.test(name))

export const forkBombsCategory: Category = {
  number: 10,
  title: 'fork bombs',
  rules: {
    'function-bomb': [
      'This function starts itself again and again. Write a loop with an end.',
      {
        step: step => {
          if (step.kind !== 'function') return false
          const own = step.calls.filter(call => call.words[0] === step.name)
          return own.length > 1 || own.some(call => call.background)
        },
      },
    ],
    'loop-bomb': [
      'This starts processes without end. Give the loop an end, and wait for what it starts.',
      {
        step: step =>
          step.kind === 'loop' &&
          step.endless &&
          step.calls.some(call => call.background) &&
          !step.calls.some(call => /^(?:wait|sleep|read|break)$/.test(call.name)),
      },
    ],
    fill: [
      'This fills the disk or the memory. Say how much: `head -c 1M /dev/zero`, or `count=` for dd.',
      { program: 'dd', text: FILLS },
      { program: 'yes', when: call => writes(call).some(path => path !== '/dev/null') },
      { program: 'cat sort tr base64', text: ENDLESS, when: isUnlimited },
      { program: 'tail', text: ENDLESS, unless: 'c n', when: isUnlimited },
      { program: 'fallocate', text: /(?:^| )(?:\d+[TP]|\d{3,}G|\d{12,}(?: |$))/i },
    ],
    'many-at-once': [
      'This starts processes without end. Give it a list that ends.',
      { program: 'xargs parallel', when: call => call.input.calls.some(({ name }) => name === 'yes') },
    ],
  },
}
