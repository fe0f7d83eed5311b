import { describe, expect, test } from 'vitest'
import { grantableFolder, readDenial } from '../../../src/runners/sandbox/denials.ts'

describe('what the runtime says that it refused', () => {
  test.each([
    ['deny network-outbound example.com:443 (user denied)', { host: 'example.com' }],
    ['deny network-outbound ::1:80 (user denied)', { host: '::1' }],
    [
      'deny network-outbound local.example:80 (resolved to a loopback address)',
      { host: 'local.example', why: 'resolved to a loopback address' },
    ],
    ['deny openat /etc/hosts', { path: '/etc/hosts' }],
    ['deny unlinkat /home/me/a b (c)', { path: '/home/me/a b (c)' }],
    ['touch(12) deny(1) file-write-create /private/etc/x', { path: '/private/etc/x' }],
  ])('%s', (line, what) => {
    expect(readDenial(line, 'call-1', () => true)).toEqual({ call: 'call-1', ...what })
  })
  test.each([
    'deny openat /dev/tty',
    'deny openat /proc/self/oom_score_adj',
    'deny openat /sys/kernel/debug/tracing/trace_marker',
    'node(12) deny(1) mach-lookup com.apple.something',
    'something else',
  ])('%s: nothing that people can decide', line => {
    expect(readDenial(line, null, () => false)).toBeNull()
  })
  test('a folder that is there was not to be made', () => {
    const read = (line: string, isThere: boolean) => readDenial(line, null, () => isThere)
    expect(read('deny mkdir /home', true)).toBeNull()
    expect(read('deny mkdirat /home/me/x', false)).toEqual({ call: null, path: '/home/me/x' })
    expect(read('deny openat /home/me/x', true)).toEqual({ call: null, path: '/home/me/x' })
  })
})

test.each([
  ['/home/me/.npm/_cacache/tmp/1', '/home/me/.npm'],
  ['/home/me/.cache/pip/http/a', '/home/me/.cache/pip'],
  ['/home/me/.local/share/amp/x', '/home/me/.local/share/amp'],
  ['/home/me/.bashrc', '/home/me/.bashrc'],
  ['/usr/lib/python3/x.pyc', '/usr/lib'],
  ['/etc/hosts', '/etc/hosts'],
  ['/x', '/x'],
  ['/home/meander/x', '/home/meander'],
])('a write to %s is told of with the others below %s', (path, place) => {
  expect(grantableFolder(path, '/home/me')).toBe(place)
})
