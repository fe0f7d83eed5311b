import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compare, least } from '../measure.mjs'
import { agent, env, f, project, RALPH, ralph, root, row, SHORT } from '../setting.mjs'

/** What the sandbox srt costs: once per run, and for each iteration. */
export async function sandbox() {
  row('the sandbox srt', 'none', 'srt', 'more')
  if (process.getuid?.() === 0)
    return console.log('skipped: srt is no boundary for root; run this as another user')
  const bin = join(root, 'bin')
  mkdirSync(bin)
  // A program below node_modules/.bin belongs to a project, and ralph would not take it.
  symlinkSync(resolve('node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js'), join(bin, 'srt'))
  const inside = { ...env, PATH: `${bin}:${env.PATH}` }
  try {
    execFileSync(process.execPath, [RALPH, 'sandbox', 'check'], {
      env: inside,
      cwd: project(),
      stdio: 'pipe',
    })
  } catch (error) {
    return console.log(`skipped: ${String(error.stdout).trim().split('\n').join(' ')}`)
  }
  const program = agent('claude', SHORT)
  const [few, many] = [1, 11]
  const run = (mode, n) => () =>
    ralph(program, n, { env: inside }, ['run', '-p', 'Do the next task.', `--sandbox=${mode}`])
  const contenders = ['none', 'srt'].flatMap(mode =>
    [few, many].map(n => ({ name: `${mode} ${n}`, run: run(mode, n) })),
  )
  const ms = await compare(7, contenders, least)
  const each = mode => (ms[`${mode} ${many}`] - ms[`${mode} ${few}`]) / (many - few)
  const once = mode => ms[`${mode} ${few}`] - few * each(mode)
  for (const [name, of] of Object.entries({ 'a run, ms': once, 'an iteration, ms': each }))
    row(name, f(of('none')), f(of('srt')), f(of('srt') - of('none')))
}
