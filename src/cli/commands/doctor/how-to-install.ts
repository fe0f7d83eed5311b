import { known } from '../../../agents/index.ts'

/** System packages whose name is not that of the program. */
const SYSTEM_PACKAGES = new Map([
  ['bwrap', 'bubblewrap'],
  ['rg', 'ripgrep'],
  ['sh', 'dash'],
])

export function howToInstall(program: string, platform: string): string {
  const fromNpm = program === 'srt' ? '@anthropic-ai/sandbox-runtime' : known.get(program)?.npmPackage
  if (fromNpm !== undefined) return `npm install -g ${fromNpm}`
  if (program === 'docker') return 'https://docs.docker.com/get-started/get-docker/'
  if (program === 'sbx') return 'https://docs.docker.com/ai/sandboxes/'
  const name = SYSTEM_PACKAGES.get(program) ?? program
  return platform === 'darwin' ? `brew install ${name}` : `install the package ${name}`
}
