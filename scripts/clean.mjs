import { readdirSync, rmSync } from 'node:fs'

const hooks = readdirSync('plugin/hooks').filter(name => name.endsWith('.js') || name === 'package.json')
for (const path of ['dist', 'coverage', ...hooks.map(name => `plugin/hooks/${name}`)])
  rmSync(path, { recursive: true, force: true })
