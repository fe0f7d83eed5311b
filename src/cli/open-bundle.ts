import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

/**
 * What `require` does for a bundle of ours, but with the code that V8 made of it when ralph was built: reading that takes
 * half the time of compiling. Where there is none of this very Node, it compiles as ever.
 */
export function openBundle(
  dir: string,
  name: string,
  require: NodeJS.Require,
  onScript = (_path: string, _script: Script): void => {},
): unknown {
  const path = join(dir, name)
  // The build leaves nothing but ASCII in a bundle, and that is read soonest so.
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`,
    { filename: path, cachedData: codeOf(path) },
  )
  onScript(path, script)
  let actions: unknown
  const requireHere = (id: string): unknown => {
    if (id !== './actions.js') return require(id)
    actions ??= openBundle(dir, id, require, onScript)
    return actions
  }
  const module = { exports: {} }
  script.runInThisContext()(module.exports, requireHere, module, path, dir)
  return module.exports
}

/**
 * Where the code of a bundle is kept. By name, because V8 compares versions and flags but not processors: the same
 * version of Node for another one would take the code, and crash.
 */
export const codePath = (path: string, { platform, arch, version }: Node = process): string =>
  `${path}.${platform}-${arch}-${version}.code`

type Node = Pick<NodeJS.Process, 'platform' | 'arch' | 'version'>

function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(codePath(path))
  } catch {
    // Without it ralph is as good, only slower to start.
    return undefined
  }
}
