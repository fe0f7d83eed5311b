import type { main } from './main.ts'
import { openBundle } from './open-bundle.ts'

const program = openBundle(__dirname, './program.js', require) as { main: typeof main }

void program.main(process.argv.slice(2)).then(code => {
  process.exitCode = code
})
