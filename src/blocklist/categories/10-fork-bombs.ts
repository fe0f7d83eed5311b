import { type Call, has, operands } from '../call.ts'
import { type Category, onCall, programs } from '../rule.ts'

const LIMITERS = /^(?:head|dd|pv|timeout|sed|read)$/

export const forkBombsCategory: Category = {
  number: 10,
  title: 'fork bombs',
  programs: programs('perl python ruby node php dd yes cat tail sort tr base64 fallocate xargs parallel'),
  rules: [
    {
      name: 'function-bomb',
      any: true,
      denies: step => {
        if (step.kind !== 'function') return false
        const own = step.calls.filter(call => call.words[0] === step.name)
        return own.length > 1 || own.some(call => call.background)
      },
      reason: 'This function starts itself again and again. Write a loop with an end.',
    },
    {
      name: 'loop-bomb',
      any: true,
      denies: step =>
        step.kind === 'loop' &&
        step.endless &&
        step.calls.some(call => call.background) &&
        !step.calls.some(call => /^(?:wait|sleep|read|break)$/.test(call.name)),
      reason: 'This starts processes without end. Give the loop an end, and wait for what it starts.',
    },
    {
      name: 'code-bomb',
      denies: onCall(
        (call: Call) =>
          /^(?:perl|python[\d.]*|ruby|node|php)$/.test(call.name) &&
          has(call, 'e', 'c', 'r') &&
          call.args.some(arg =>
            /\bfork\b[^;]*\bwhile\b|\bwhile\b[^;]*\bfork\b|for\s*\(;;\)[^;]*fork|loop\s*\{?[^}]*fork/.test(
              arg,
            ),
          ),
      ),
      reason: 'This starts processes without end. Give the loop an end.',
    },
    {
      name: 'fill',
      denies: onCall(call => {
        const endless = call.args.some(arg => /^(?:if=)?\/dev\/(?:zero|urandom|random)$/.test(arg))
        if (call.name === 'dd')
          return (
            endless &&
            !call.args.some(arg => arg.startsWith('count=')) &&
            call.args.some(arg => arg.startsWith('of=') && arg !== 'of=/dev/null')
          )
        if (call.name === 'yes')
          return call.redirects.some(({ op, target }) => op.includes('>') && target !== '/dev/null')
        if (/^(?:cat|tail|sort|tr|base64)$/.test(call.name) && endless)
          return (
            !call.pipeline.some(other => LIMITERS.test(other.name)) &&
            !(call.name === 'tail' && has(call, 'c', 'n'))
          )
        return (
          call.name === 'fallocate' &&
          operands(call.args).some(arg => /^\d+[TP]|^\d{3,}G|^\d{12,}$/i.test(arg))
        )
      }),
      reason: 'This fills the disk or the memory. Say how much: `head -c 1M /dev/zero`, or `count=` for dd.',
    },
    {
      name: 'many-at-once',
      denies: onCall(
        call => /^(?:xargs|parallel)$/.test(call.name) && call.input.calls.some(({ name }) => name === 'yes'),
      ),
      reason: 'This starts processes without end. Give it a list that ends.',
    },
  ],
}
