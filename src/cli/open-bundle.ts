import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

/** A piece of ralph, in the shape of a CommonJS module. */
type Piece = (exports: object, require: (id: string) => unknown, module: Module, dir: string) => void

type Module = { exports: object }

/**
 * A `require` that also knows ralph's bundles. `./run.js#start` is the piece `start` of the bundle `run.js`: a bundle is
 * read when the first of its pieces is needed, and a piece runs once. scripts/cut.mjs writes the bundles.
 */
export function bundleRequire(
  dir: string,
  require: NodeJS.Require,
  onScript = (_path: string, _script: Script): void => {},
): (id: string) => unknown {
  const bundles = new Map<string, Record<string, Piece>>()
  const modules = new Map<string, Module>()
  return function requireHere(id) {
    const at = id.indexOf('#')
    if (at < 0) return require(id)
    const known = modules.get(id)
    if (known) return known.exports
    const bundle = id.slice(0, at)
    if (!bundles.has(bundle)) bundles.set(bundle, openBundle(join(dir, bundle), onScript))
    const module = { exports: {} }
    modules.set(id, module)
    bundles.get(bundle)![id.slice(at + 1)]!(module.exports, requireHere, module, dir)
    return module.exports
  }
}

/**
 * Reads a bundle with the code that V8 compiled when ralph was built: reading it takes half the time of compiling. If
 * there is none for this very Node, the bundle is compiled as usual.
 */
function openBundle(path: string, onScript: (path: string, script: Script) => void): Record<string, Piece> {
  // The build leaves only ASCII in a bundle, and latin1 is the fastest way to read that.
  const script = new Script(readFileSync(path, 'latin1'), { filename: path, cachedData: codeOf(path) })
  onScript(path, script)
  return script.runInThisContext()
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
