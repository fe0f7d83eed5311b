import type { Agent } from '../core/ports.ts'
import { claude } from './claude/claude.ts'

/** The built-in scripted agent: a real process that edits real files, with no key and no network. */
export const demoCli = (): Agent => ({
  ...claude.make(),
  name: 'demo',
  command: ask => ({
    argv: [process.execPath, process.argv[1] ?? '', 'demo-agent'],
    env: {},
    stdin: ask.prompt,
  }),
})
