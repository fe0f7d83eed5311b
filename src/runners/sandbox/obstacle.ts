import type { Missing } from './programs.ts'

/** What decides whether a program may make a sandbox here. Numbers of the kernel are null where it has no such setting. */
export type Kernel = {
  /** `kernel.apparmor_restrict_unprivileged_userns`, of Ubuntu. */
  apparmor: number | null
  /** `kernel.unprivileged_userns_clone`, of Debian. */
  clone: number | null
  /** `user.max_user_namespaces`. */
  most: number | null
  isContainer: boolean
}

/** What keeps a program from running inside, and the way out. `failure`: what was said when it was tried. */
export function obstacleOf(failure: string, { apparmor, clone, most, isContainer }: Kernel): Missing {
  const what = (why: string) => `nothing can be run inside: ${failure}${why && `; ${why}`}`
  if (most === 0)
    return {
      what: what('the kernel allows no user namespaces'),
      remedy: 'sudo sysctl user.max_user_namespaces=15000',
    }
  if (clone === 0)
    return {
      what: what('only root may make user namespaces'),
      remedy: 'sudo sysctl kernel.unprivileged_userns_clone=1',
    }
  if (isContainer)
    return {
      what: what('this is a container'),
      remedy:
        'start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (podman: unmask=ALL), or run ralph outside it',
    }
  if (apparmor === 1)
    return {
      what: what('AppArmor keeps bwrap from making user namespaces'),
      remedy: 'give bwrap a profile that allows it; docs/sandbox.md has one for Ubuntu',
    }
  return { what: what(''), remedy: 'allow unprivileged user namespaces, or run ralph on another machine' }
}
