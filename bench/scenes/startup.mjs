import { compare, measure } from '../measure.mjs'
import { env, f, RALPH, row } from '../setting.mjs'

export async function startup() {
  const cli =
    (...words) =>
    () =>
      measure([process.execPath, ...words], { env })
  const ms = await compare(25, [
    { name: 'node -e 0', run: cli('-e', '0') },
    { name: 'ralph --version', run: cli(RALPH, '--version') },
    { name: 'ralph --help', run: cli(RALPH, '--help') },
    { name: 'ralph run --help', run: cli(RALPH, 'run', '--help') },
  ])
  row('start-up', 'ms', 'x node', 'goal')
  for (const [name, value] of Object.entries(ms)) row(name, f(value), f(value / ms['node -e 0'], 2), '1.35')
}
