import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

/**
 * What `require` does for a bundle of ours, but with the code that V8 made of it when ralph was built: reading that takes
 * half the time of compiling. Another version of Node refuses it, and compiles as ever.
 */
export function openBundle(
  dir: string,
  name: string,
  require: NodeJS.Require,
  onScript = (_path: string, _script: Script): void => {},
): unknown {
  const path = join(dir, name)
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`,
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

function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(`${path}.code`)
  } catch {
    // Without it ralph is as good, only slower to start.
    return undefined
  }
}
