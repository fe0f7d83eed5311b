// Start-up of ralph and of the plugin's hooks, the cost of an iteration, large streams and long lists, each beside a
// reference in the same run.
// usage: npm run bench [-- startup hooks loop git stream tasks stories sandbox]
import { rmSync } from 'node:fs'
import { hooks } from './scenes/hooks.mjs'
import { stories, tasks } from './scenes/lists.mjs'
import { git, loop } from './scenes/loop.mjs'
import { sandbox } from './scenes/sandbox.mjs'
import { startup } from './scenes/startup.mjs'
import { stream } from './scenes/stream.mjs'
import { root } from './setting.mjs'

const SCENES = { startup, hooks, loop, git, stream, tasks, stories, sandbox }

const wanted = process.argv.slice(2)
const unknown = wanted.find(name => !Object.hasOwn(SCENES, name))
if (unknown) throw new Error(`there is no scene ${unknown}; there are ${Object.keys(SCENES).join(', ')}`)
try {
  for (const name of wanted.length ? wanted : Object.keys(SCENES)) {
    await SCENES[name]()
    console.log()
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
