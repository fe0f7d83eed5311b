import { watch } from 'node:fs'

const POLL_MS = 2000

/** Calls back when something in a folder changes. If the system cannot watch more folders, it does so every two seconds. */
export function watchFolder(folder: string, onChange: (name: string | null) => void): () => void {
  try {
    const watcher = watch(folder, (_, name) => onChange(name))
    // The folder is gone, for example.
    watcher.on('error', () => {})
    return () => watcher.close()
  } catch {
    const timer = setInterval(() => onChange(null), POLL_MS)
    return () => clearInterval(timer)
  }
}
