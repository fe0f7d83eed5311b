#!/usr/bin/env node
/**
 * The calls of an agent for story loops that need Node; see story-agent.sh, which has kept what the call found. What it
 * does is the function of the call's number in the module named by its first argument (the last one repeats).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [module, call] = process.argv.slice(2)
const n = Number(basename(call))
const [mode, id] = readFileSync(`${call}.about`, 'utf8').trimEnd().split(' ')
const dir = process.env.RALPH_DIR
const path = join(dir, 'tasks.json')
const read = () => JSON.parse(readFileSync(path, 'utf8'))
const put = file => {
  // In one go: killed within it, an honest agent would leave half a file, which is another story.
  writeFileSync(`${module}.put`, `${JSON.stringify(file, null, 2)}\n`)
  renameSync(`${module}.put`, path)
}
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' })
const sh = command => execFileSync('/bin/sh', ['-ec', command], { encoding: 'utf8' })
const commit = message => {
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', message)
}

let said = `${mode} ${id}`

/** Changes the story that this call is about. */
function edit(change, of = id) {
  const file = read()
  Object.assign(
    file.userStories.find(story => story.id === of),
    change,
  )
  put(file)
}

const submit = () => {
  writeFileSync(`${id}.txt`, `${mode}\n`, { flag: 'a' })
  edit({ reviewStatus: 'needs_review', reviewFeedback: '', notes: `${id}.txt` })
  commit(mode === 'implement' ? `feat: [${id}] - the story` : `fix: [${id}] - address review feedback`)
}
const count = () => read().userStories.find(story => story.id === id).reviewCount + 1
const approve = () => {
  edit({ reviewStatus: 'approved', passes: true, reviewCount: count() })
  commit(`review: [${id}] - approved`)
  said += '\n<verdict>approved</verdict>'
}
const reject = (feedback = `${id}.txt lacks a line`) => {
  edit({ reviewStatus: 'changes_requested', reviewCount: count(), reviewFeedback: feedback })
  commit(`review: [${id}] - changes requested`)
  said += '\n<verdict>changes_requested</verdict>'
}
const honest = () => (mode === 'review' ? approve() : submit())

const scene = {
  n,
  mode,
  id,
  dir,
  path,
  read,
  put,
  git,
  sh,
  commit,
  edit,
  submit,
  approve,
  reject,
  honest,
  count,
}
const acts = (await import(pathToFileURL(module).href)).default
const act = acts[Math.min(n, acts.length) - 1]
const text = await act(scene)
if (typeof text === 'string') said = text
const result = { type: 'result', subtype: 'success', is_error: false, result: said, session_id: 's' }
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 's' }))
console.log(
  JSON.stringify({ ...result, total_cost_usd: 0.25, usage: { input_tokens: 10, output_tokens: 5 } }),
)
