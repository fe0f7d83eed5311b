import type { Io } from '../../src/runs/io.ts'

/** Calls an action in this process, with these variables and no terminal, and keeps what it writes. */
export async function callWith(env: Record<string, string>, action: (io: Io) => number | Promise<number>) {
  let stdout = ''
  let stderr = ''
  const code = await action({
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    env,
  })
  return { code, stdout, stderr }
}
