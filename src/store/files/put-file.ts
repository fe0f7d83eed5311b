import { lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from './atomic.ts'
import { readPlain } from './plain-file.ts'

/** Replaces a file of ralph's where others may have put anything in its way: a folder of that name, or none around it. */
export function putFile(path: string, text: string): void {
  makeWay(path)
  replaceFile(path, text)
}

/** A file can be put over anything but a folder. */
export function makeWay(path: string): void {
  const folder = dirname(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    rmSync(folder, { force: true })
    mkdirSync(folder, { recursive: true })
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true })
}

/** The text of a file; null if there is none, or something that would never end, or that cannot be read. */
export const textAt = (path: string): string | null => bytesAt(path)?.toString('utf8') ?? null

export function bytesAt(path: string): Buffer | null {
  try {
    return readPlain(path)
  } catch {
    return null
  }
}
