import type { main } from './main.ts'
import { bundleRequire } from './open-bundle.ts'

// What started ralph had ignored SIGHUP, and Node has undone that. See the launcher in scripts/build.mjs.
if (process.env.RALPH_NOHUP === '1') process.on('SIGHUP', () => {})

const program = bundleRequire(__dirname, require)('./program.js') as { main: typeof main }

void program.main(process.argv.slice(2)).then(code => {
  process.exitCode = code
})
