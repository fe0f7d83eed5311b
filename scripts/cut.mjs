// Cuts ralph into bundles at fixed places, as CommonJS, which Node starts sooner than modules.
import { basename, isAbsolute, resolve } from 'node:path'
import { build } from 'esbuild'

/**
 * Writes bundles into dist/, each with the modules that `doors` names for it and all that only these need. Returns what is
 * in each: bytes by source file.
 *
 * The source imports a door like any other module. In the bundles, its functions are there at once, and the first call of
 * one opens its bundle: so a door exports nothing but functions (test/bundle.test.ts).
 *
 * A module is in one bundle only, with its state and its classes: in the first that needs it. Esbuild finds out which
 * modules are needed together, and makes a piece of them; then each bundle is made of its pieces.
 */
export async function cut(doors, common, plugins) {
  const pieces = await cutPieces(doors, common, plugins)
  const names = Object.keys(doors)
  const bundles = bundlesOf(pieces, names)
  const given = namesBetween(pieces, bundles)
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await join(name, pieces, bundles, given, common)])),
  )
}

const BUNDLE = 'bundle:'
/** Stands for the `require` that opens a bundle, until the pieces become CommonJS. */
const REQUIRE = 'RALPH_REQUIRE'
/** Stands for the `exports` of a bundle. They are values, which are read sooner than what esbuild makes of exports. */
const EXPORTS = 'RALPH_EXPORTS'

/** The pieces by name: each is a module that imports others, `./piece-….js`. That of a bundle's doors has its name. */
async function cutPieces(doors, common, plugins) {
  const entries = Object.entries(doors).map(([name, own]) => [name, own.length > 1 ? BUNDLE + name : own[0]])
  const { outputFiles, metafile } = await build({
    ...common,
    plugins: [...plugins, await openLater(doors)],
    entryPoints: Object.fromEntries(entries),
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    minify: false,
    supported: {},
    entryNames: 'piece-[name]',
    chunkNames: 'piece-[hash]',
    metafile: true,
    write: false,
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  return new Map(
    Object.entries(metafile.outputs).map(([path, piece]) => {
      const name = basename(path)
      return [name, { ...piece, text: texts.get(name) }]
    }),
  )
}

/** Leaves what is behind the doors of another bundle until it is called. */
async function openLater(doors) {
  const bundles = new Map(
    Object.entries(doors).flatMap(([name, own]) => own.map(door => [pathOf(door), name])),
  )
  const named = [...bundles.keys()].map(async path => [path, await exportsOf(path)])
  const exports = new Map(await Promise.all(named))
  return {
    name: 'open later',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${BUNDLE}`) }, ({ path }) => ({ path, namespace: 'bundle' }))
      onLoad({ filter: /.*/, namespace: 'bundle' }, ({ path }) => ({
        contents: doors[path.slice(BUNDLE.length)].map(door => `export * from './${door}'`).join('\n'),
        resolveDir: process.cwd(),
      }))
      onResolve({ filter: /.*/, namespace: 'file' }, ({ path, kind, importer, resolveDir }) => {
        if (kind !== 'import-statement' || importer.includes('node_modules')) return
        const door = path.startsWith('.') ? resolve(resolveDir, path) : path
        const bundle = bundles.get(door)
        if (bundle === undefined || bundle === bundles.get(importer)) return
        return { path: door, namespace: 'door' }
      })
      onLoad({ filter: /.*/, namespace: 'door' }, ({ path }) => ({
        contents: [
          'let opened',
          `const open = () => (opened ??= ${REQUIRE}('./${bundles.get(path)}.js'))`,
          ...exports.get(path).map(lazily),
        ].join('\n'),
      }))
    },
  }
}

const lazily = name =>
  `export ${name === 'default' ? name : `const ${name} =`} (...args) => open().${name}(...args)`

/** A door is a file of ours, or a library. */
const pathOf = door => (door.startsWith('src/') ? resolve(door) : door)

/** Of a library, only its default is called. */
async function exportsOf(path) {
  if (!isAbsolute(path)) return ['default']
  const { metafile } = await build({ entryPoints: [path], format: 'esm', metafile: true, write: false })
  return Object.values(metafile.outputs)[0].exports
}

/** The bundle of every piece. */
function bundlesOf(pieces, names) {
  const bundles = new Map()
  const settle = (piece, name) => {
    if (bundles.has(piece)) return
    bundles.set(piece, name)
    for (const { path, kind, external } of pieces.get(piece).imports)
      if (!external && kind === 'import-statement') settle(basename(path), name)
  }
  for (const name of names) settle(`piece-${name}.js`, name)
  return bundles
}

/** What pieces import from those of other bundles: for each such piece, its names and those that stand for them outside. */
function namesBetween(pieces, bundles) {
  const given = new Map([...pieces.keys()].map(piece => [piece, new Map()]))
  let count = 0
  for (const [piece, { text }] of pieces)
    for (const [, list, from] of text.matchAll(/^import \{([^}]*)\} from "\.\/(piece-[^"]+)";$/gm)) {
      if (bundles.get(from) === bundles.get(piece)) continue
      const names = given.get(from)
      for (const [name] of list.split(',').map(item => item.trim().split(' ')))
        if (!names.has(name)) names.set(name, `$${(count++).toString(36)}`)
    }
  return given
}

/** Writes a bundle of its pieces. Returns its bytes by source file. */
async function join(name, pieces, bundles, given, common) {
  const own = [...pieces.keys()].filter(piece => bundles.get(piece) === name)
  const exported = own.flatMap((piece, at) => [
    ...(piece === `piece-${name}.js` ? pieces.get(piece).exports.map(own => `${own}: p${at}.${own}`) : []),
    ...[...given.get(piece)].map(([own, outside]) => `${outside}: p${at}.${own}`),
  ])
  await build({
    ...common,
    stdin: {
      contents: [
        ...own.map((piece, at) => `import * as p${at} from './${piece}'`),
        `Object.assign(${EXPORTS}, { ${exported.join(', ')} })`,
      ].join('\n'),
      resolveDir: '.',
    },
    outfile: `dist/${name}.js`,
    define: { [REQUIRE]: 'require', [EXPORTS]: 'exports' },
    plugins: [
      {
        name: 'pieces',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\// }, ({ path, kind }) => {
            const piece = basename(path)
            const bundle = bundles.get(piece)
            if (bundle === undefined) return { path, external: true }
            if (kind !== 'import-statement') return { path: `./${bundle}.js`, external: true }
            return { path: piece, namespace: bundle === name ? 'own' : 'other' }
          })
          onLoad({ filter: /.*/, namespace: 'own' }, ({ path }) => ({ contents: pieces.get(path).text }))
          onLoad({ filter: /.*/, namespace: 'other' }, ({ path }) => ({
            contents: `export { ${[...given.get(path)].map(([own, outside]) => `${outside} as ${own}`).join(', ')} } from './${bundles.get(path)}.js'`,
          }))
        },
      },
    ],
  })
  const inputs = own.flatMap(piece => Object.entries(pieces.get(piece).inputs))
  const files = inputs.filter(([path]) => !/^(?:bundle|door):/.test(path))
  return Object.fromEntries(files.map(([path, { bytesInOutput }]) => [path, bytesInOutput]))
}
