import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SBX = join(import.meta.dirname, 'sbx.sh')

/** A sandbox of the stand-in. */
type StandInSandbox = { daemon: number; secrets: Record<string, string>; allowed: string[] }

/**
 * Puts the stand-in for sbx into a folder of the PATH. `state`, for `SBX_STATE`, has a folder for each sandbox, with its clone, its
 * home and what it was told; all calls; and what is planned for some of them.
 */
export function addSbx(bin: string, state: string) {
  mkdirSync(state)
  symlinkSync(SBX, join(bin, 'sbx'))
  const at = (...names: string[]) => join(state, ...names)
  writeFileSync(at('on-fetch'), `#!/bin/sh\nprintf '2\\0git\\0fetch\\0' >> "$SBX_STATE/calls"\n`, {
    mode: 0o755,
  })
  const names = () => readdirSync(state).filter(name => existsSync(at(name, 'path')))
  return {
    /** Which calls fail, by their first words; `hang`: they never end; `late WHY`: they do their work first. */
    plan(failures: Record<string, string>): void {
      rmSync(at('plan'), { recursive: true, force: true })
      mkdirSync(at('plan'))
      for (const [title, failure] of Object.entries(failures))
        writeFileSync(at('plan', title), `${failure}\n`)
    },
    sandboxes: (): Record<string, StandInSandbox> =>
      Object.fromEntries(names().map(name => [name, readSandbox(at(name))])),
    /** The words of each call; `git fetch` where ralph fetched from a sandbox. */
    calls: (): string[][] => (existsSync(at('calls')) ? callsIn(readFileSync(at('calls'), 'utf8')) : []),
    forgetCalls: (): void => rmSync(at('calls'), { force: true }),
    /** Ends the servers of sandboxes that were not stopped. */
    endServers(): void {
      for (const name of names()) endGroup(readSandbox(at(name)).daemon)
    },
  }
}

function readSandbox(folder: string): StandInSandbox {
  const read = (...names: string[]) => readFileSync(join(folder, ...names), 'utf8')
  const secrets = readdirSync(join(folder, 'secrets')).map(service => [service, read('secrets', service)])
  return {
    // A sandbox is there before its server is.
    daemon: existsSync(join(folder, 'daemon')) ? Number(read('daemon')) : 0,
    secrets: Object.fromEntries(secrets),
    allowed: read('allowed').split('\n').filter(Boolean),
  }
}

/** Each call is the number of its words, then the words, with a zero byte after each. */
function callsIn(text: string): string[][] {
  const words = text.split('\0')
  const calls: string[][] = []
  for (let at = 0; at < words.length - 1; ) {
    const end = at + 1 + Number(words[at])
    calls.push(words.slice(at + 1, end))
    at = end
  }
  return calls
}

/** Ends a process group, never any other than one that is named. */
function endGroup(leader: number): void {
  if (!Number.isInteger(leader) || leader < 2) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
