import { expect, test } from 'vitest'
import { type Kernel, obstacleOf } from '../../../src/runners/sandbox/obstacle.ts'

const PLAIN: Kernel = { apparmor: null, clone: null, most: 1000, isContainer: false }

test.each<[string, Partial<Kernel>, RegExp, RegExp]>([
  ['no user namespaces', { most: 0 }, /allows no user namespaces/, /sysctl user\.max_user_namespaces/],
  ['those of root only', { clone: 0 }, /only root/, /sysctl kernel\.unprivileged_userns_clone=1/],
  ['a container', { isContainer: true }, /a container/, /--security-opt seccomp=unconfined/],
  // A container has the kernel of its host, whose rules it cannot change.
  ['a container on Ubuntu', { isContainer: true, apparmor: 1 }, /a container/, /--security-opt/],
  ['AppArmor', { apparmor: 1 }, /AppArmor keeps bwrap/, /profile/],
  ['AppArmor that allows it', { apparmor: 0 }, /^nothing can be run inside: no$/, /allow unprivileged/],
  ['nothing that is known', {}, /^nothing can be run inside: no$/, /allow unprivileged/],
])('what keeps a program from running inside: %s', (_, kernel, what, remedy) => {
  const obstacle = obstacleOf('no', { ...PLAIN, ...kernel })
  expect(obstacle.what).toMatch(what)
  expect(obstacle.remedy).toMatch(remedy)
})
