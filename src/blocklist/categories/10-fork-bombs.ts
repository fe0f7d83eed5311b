import type { Call } from '../call.ts'
import type { Category } from '../rule.ts'

const LIMITERS = /^(?:head|dd|pv|timeout|sed|read)$/
const ENDLESS = /(?:^| )(?:if=)?\/dev\/(?:zero|urandom|random)(?: |$)/

const isUnlimited = (call: Call): boolean => !call.pipeline.some(({ name }) => LIMITERS.test(name))

export const forkBombsCategory: Category = {
  number: 10,
  title: 'fork bombs',
  rules: {
    'function-bomb': {
      step: step => {
        if (step.kind !== 'function') return false
        const own = step.calls.filter(call => call.words[0] === step.name)
        return own.length > 1 || own.some(call => call.background)
      },
      reason: 'This function starts itself again and again. Write a loop with an end.',
    },
    'loop-bomb': {
      step: step =>
        step.kind === 'loop' &&
        step.endless &&
        step.calls.some(call => call.background) &&
        !step.calls.some(call => /^(?:wait|sleep|read|break)$/.test(call.name)),
      reason: 'This starts processes without end. Give the loop an end, and wait for what it starts.',
    },
    fill: {
      rows: [
        {
          program: 'dd',
          text: /^(?=.*if=\/dev\/(?:zero|u?random)\b)(?=.*of=(?!\/dev\/null\b))(?!.*\bcount=)/,
        },
        {
          program: 'yes',
          when: call => call.redirects.some(({ op, target }) => op.includes('>') && target !== '/dev/null'),
        },
        { program: 'cat sort tr base64', text: ENDLESS, when: isUnlimited },
        { program: 'tail', text: ENDLESS, unless: 'c n', when: isUnlimited },
        { program: 'fallocate', text: /(?:^| )(?:\d+[TP]|\d{3,}G|\d{12,}(?: |$))/i },
      ],
      reason: 'This fills the disk or the memory. Say how much: `head -c 1M /dev/zero`, or `count=` for dd.',
    },
    'many-at-once': {
      rows: [
        { program: 'xargs parallel', when: call => call.input.calls.some(({ name }) => name === 'yes') },
      ],
      reason: 'This starts processes without end. Give it a list that ends.',
    },
  },
}
