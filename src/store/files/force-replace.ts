// Use this to replace a file in the project, where others may have put anything in its place: it first removes a folder
// of the same name, and creates the folder around it. In folders that only ralph writes to, `replaceFile` is enough.

import { lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from './atomic.ts'

export function forceReplaceFile(path: string, text: string): void {
  clearPath(path)
  replaceFile(path, text)
}

/** Makes sure that a file can be renamed to this path. That replaces anything but a folder. */
export function clearPath(path: string): void {
  const folder = dirname(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    rmSync(folder, { force: true })
    mkdirSync(folder, { recursive: true })
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true })
}
