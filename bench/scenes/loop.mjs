import { least, measure, median } from '../measure.mjs'
import { agent, bare, env, f, gitProject, iterations, ralph, row, SHORT, synced } from '../setting.mjs'

export async function loop() {
  const program = agent('claude', SHORT)
  const shell = (_, n) =>
    measure(
      ['sh', '-c', `i=0; while [ $i -lt ${n} ]; do echo prompt | "${program}" >/dev/null; i=$((i+1)); done`],
      { env },
    )
  const contenders = [
    { name: 'bare shell', run: shell },
    { name: 'bare node', run: bare },
    { name: 'bare node, two syncs', run: synced },
    { name: 'ralph run', run: ralph },
  ]
  const { each, over } = await iterations(contenders, program, [5, 205])
  row('an iteration, of 9', 'least ms', 'over bare node', 'less 2 syncs', 'medians')
  for (const { name } of contenders) {
    const less = sum => over(name, sum, 'bare node, two syncs')
    const rest = name === 'ralph run' ? [less(least), less(median)] : ['', '']
    row(name, f(each(name, least), 2), over(name, least), ...rest)
  }
  row('goal', '', '', '8', '8')
}

/** The same in a git project, where ralph asks git what the agent changed. */
export async function git() {
  const program = agent('claude', SHORT, 'echo work >>work.txt')
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`src/file-${i}.txt`, `${i}\n`]))
  const cwd = () => gitProject(files)
  const contenders = [
    { name: 'bare node', run: (p, n) => bare(p, n, { cwd: cwd() }) },
    { name: 'bare node, two syncs, git status', run: (p, n) => synced(p, n, { cwd: cwd() }, 'status') },
    { name: 'ralph run', run: (p, n) => ralph(p, n, { cwd: cwd() }) },
  ]
  const { each, over } = await iterations(contenders, program, [5, 105])
  row('an iteration in git, of 9', 'least ms', 'over bare node', 'less these', 'medians')
  for (const { name } of contenders) {
    const less = sum => over(name, sum, 'bare node, two syncs, git status')
    const rest = name === 'ralph run' ? [less(least), less(median)] : ['', '']
    row(name, f(each(name, least), 2), over(name, least), ...rest)
  }
  row('goal', '', '', '8', '8')
}
