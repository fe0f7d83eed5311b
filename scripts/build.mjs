// Bundles everything into dist/ralph.js: one file to install, and one file to read at start-up.
// CommonJS, because Node starts it about 10 ms sooner than a module; dist/package.json says so.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n')
await build({
  entryPoints: ['src/cli/ralph.ts'],
  outfile: 'dist/ralph.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  legalComments: 'linked',
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
})
chmodSync('dist/ralph.js', 0o755)
