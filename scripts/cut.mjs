// Cuts ralph into bundles at fixed places, as CommonJS, which Node starts sooner than modules.
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { build, transform } from 'esbuild'

/**
 * Writes one bundle for each entry into dist/, and returns what is in each: bytes by source file.
 *
 * Esbuild splits modules into pieces by the entries that need them, so that a module is in one piece only. Every piece
 * becomes a function, as in CommonJS, and a bundle is a table of such functions: src/cli/open-bundle.ts calls them. A
 * piece is in the bundle of the first entry that needs it, so what a run needs is together.
 */
export async function cut(entries, common, plugins) {
  const { outputFiles, metafile } = await build({
    ...common,
    plugins,
    entryPoints: entries,
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    supported: {},
    entryNames: 'piece-[name]',
    chunkNames: 'piece-[hash]',
    metafile: true,
    write: false,
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const pieces = new Map(
    Object.entries(metafile.outputs)
      .filter(([path]) => path.endsWith('.js'))
      .map(([path, piece]) => [basename(path), piece]),
  )
  const home = homes(Object.keys(entries), pieces)
  const inside = {}
  for (const name of Object.keys(entries)) {
    const own = [...pieces.keys()].filter(piece => home.get(piece) === name)
    const functions = await Promise.all(own.map(piece => asFunction(piece, texts.get(piece), home, common)))
    writeFileSync(`dist/${name}.js`, `({${functions.join(',\n')}})\n`)
    inside[name] = Object.assign({}, ...own.map(piece => bytesOf(pieces.get(piece).inputs)))
  }
  return inside
}

const bytesOf = inputs =>
  Object.fromEntries(Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput]))

/** The bundle of every piece. */
function homes(names, pieces) {
  const home = new Map()
  const settle = (piece, name) => {
    if (home.has(piece)) return
    home.set(piece, name)
    for (const { path, kind, external } of pieces.get(piece).imports)
      if (!external && kind === 'import-statement') settle(basename(path), name)
  }
  for (const name of names) settle(`piece-${name}.js`, name)
  return home
}

async function asFunction(piece, text, home, { target, supported }) {
  const { code } = await transform(text, { target, supported, format: 'cjs', platform: 'node', minify: true })
  const linked = code
    .trim()
    .replace(/"\.\/(piece-[^"]+\.js)"/g, (_, other) => JSON.stringify(idOf(other, home.get(other))))
  return `${JSON.stringify(nameOf(piece))}:(function(exports,require,module,__dirname){${linked}\n})`
}

const nameOf = piece => piece.replace(/^piece-|\.js$/g, '')
/** As src/cli/open-bundle.ts reads it. */
const idOf = (piece, bundle) => `./${bundle}.js#${nameOf(piece)}`
