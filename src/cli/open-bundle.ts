import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

type Module = { exports: unknown }

/**
 * A `require` that opens ralph's bundles as `./run.js`. It uses the code that V8 compiled when ralph was built: reading it
 * takes half the time of compiling. If there is none for this very Node, a bundle is compiled as usual.
 */
export function bundleRequire(
  dir: string,
  require: NodeJS.Require,
  onScript = (_path: string, _script: Script): void => {},
): (id: string) => unknown {
  const opened = new Map<string, Module>()
  const held = new Map<string, number>()
  return function requireHere(id) {
    if (!id.startsWith('./')) return require(id)
    const known = opened.get(id)
    if (known) return known.exports
    const path = join(dir, id)
    const file = held.get(id) ?? openSync(path, 'r')
    // Every start opens the first. The others may come hours later, and an update replaces them meanwhile.
    if (opened.size === 1)
      for (const other of othersIn(dir))
        if (other !== id && !opened.has(other)) held.set(other, openSync(join(dir, other), 'r'))
    const script = readBundle(path, file)
    onScript(path, script)
    const module: Module = { exports: {} }
    opened.set(id, module)
    script.runInThisContext()(module.exports, requireHere, module, path, dir)
    return module.exports
  }
}

function readBundle(path: string, file: number): Script {
  try {
    // The build leaves only ASCII in a bundle, and latin1 is the fastest way to read that.
    const text = readFileSync(file, 'latin1')
    return new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
      filename: path,
      // If the file was removed, the code beside it may be another's.
      cachedData: fstatSync(file).nlink > 0 ? codeOf(path) : undefined,
    })
  } finally {
    closeSync(file)
  }
}

const othersIn = (dir: string): string[] =>
  readdirSync(dir).flatMap(name => (/^(?!ralph).*\.js$/.test(name) ? `./${name}` : []))

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
