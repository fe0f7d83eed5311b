import { processes, startTime } from './proc.ts'

/** Programs of git's: `git`, `git-remote-https`. */
const GIT = /^git(?:\W|$)/

/** What makes git work on a repository that it is not in. */
const ELSEWHERE = /\bGIT_(?:COMMON_)?DIR=|\bGIT_INDEX_FILE=|--git-dir/

/**
 * Looks which git processes run now that may work on a repository; `isHere` tells its folders. The result tells whether a
 * lock may belong to one of those, or to another program that has it open. A process that starts later cannot own a lock
 * that is there now. null: this system does not tell.
 */
export function watchLockOwners(isHere: (folder: string) => boolean): ((path: string) => boolean) | null {
  const running = processes
    .named(GIT)
    ?.filter(({ pid, folder }) => folder === null || isHere(folder) || processes.mayMention(pid, ELSEWHERE))
  if (!running) return null
  return path =>
    running.some(({ pid, startTime: began }) => startTime(pid) === began) || processes.hasOpen(path)
}
