import { main } from './main.ts'

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', () => {})

void main(process.argv.slice(2)).then(code => {
  process.exitCode = code
})
