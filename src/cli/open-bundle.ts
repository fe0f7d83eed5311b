import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

/**
 * Does what `require` does for one of ralph's bundles, but uses the code that V8 compiled when ralph was built: reading it
 * takes half the time of compiling. If there is none for this very Node, the bundle is compiled as usual.
 */
export function openBundle(
  dir: string,
  name: string,
  require: NodeJS.Require,
  onScript = (_path: string, _script: Script): void => {},
): unknown {
  const path = join(dir, name)
  // The build leaves only ASCII in a bundle, and latin1 is the fastest way to read that.
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
 * Where the compiled code of a bundle is kept. The processor is in the name, because V8 compares versions and flags only:
 * the same version of Node on another processor would accept the code and crash.
 */
export const codePath = (path: string, { platform, arch, version }: Node = process): string =>
  `${path}.${platform}-${arch}-${version}.code`

type Node = Pick<NodeJS.Process, 'platform' | 'arch' | 'version'>

function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(codePath(path))
  } catch {
    // Without it ralph only starts more slowly.
    return undefined
  }
}
