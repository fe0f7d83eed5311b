// Bundles ralph into dist/: ralph.js, which opens the others; program.js, which knows the commands; the bundles of what
// the commands do (PARTS), each read only when it is needed; prompts.js and yaml.js, libraries that few commands need; and
// each hook of the plugin into plugin/hooks/. CommonJS, because Node starts it sooner than a module; a package.json
// beside it says so.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { cut } from './cut.mjs'
import { schemaText } from './schema.mjs'

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  legalComments: 'linked',
  // A plain require: a dynamic import would start Node's module loader first.
  supported: { 'dynamic-import': false },
  logLevel: 'warning',
}

/**
 * The bundles of what the commands do, and the modules that open each. What several need is in the first that needs it:
 * so first what runs need, which stay for hours, then what is done and over at once.
 */
const PARTS = {
  run: ['src/cli/run-actions.ts'],
  agents: ['amp', 'codex', 'copilot', 'gemini', 'opencode'].map(name => `src/agents/${name}/stream.ts`),
  checks: ['src/checks/guardrail.ts', 'src/checks/verification.ts'],
  doubts: ['src/checks/rules/weakened.ts'],
  judge: ['src/checks/judge/judge.ts', 'src/host/agents/judge-record.ts'],
  sandbox: ['src/host/docker/docker.ts', 'src/runners/sandbox/check-srt.ts', 'src/runners/sandbox/srt.ts'],
  worktrees: ['src/host/worktrees/worktrees.ts'],
  build: ['src/cli/commands/build/start-build.ts', 'src/workflows/build/active.ts'],
  stories: ['src/cli/commands/stories/start-stories.ts', 'src/workflows/stories/active.ts'],
  pipeline: ['src/cli/commands/pipeline/start-pipeline.ts', 'src/workflows/pipeline/active.ts'],
  resume: [
    'src/cli/commands/watch/resume-run.ts',
    'src/cli/commands/build/resume-build.ts',
    'src/workers/supervise.ts',
  ],
  look: [
    'src/runs/status.ts',
    ...['events', 'list', 'read-logs', 'show'].map(name => `src/workers/${name}.ts`),
    ...['diff-undo', 'morning', 'report'].map(name => `src/cli/commands/see/${name}.ts`),
  ],
  actions: ['src/cli/actions.ts'],
  upkeep: [
    'src/host/docker/manage.ts',
    'src/runs/gc.ts',
    ...['demo/show', 'doctor/diagnose', 'init/from-template', 'init/init-project', 'judge/show-check'].map(
      name => `src/cli/commands/${name}.ts`,
    ),
    'src/cli/commands/sandbox/check-sandbox.ts',
  ],
  worker: ['src/workers/spawn.ts', 'src/runners/tmux/pane-runner.ts'],
  ui: ['src/ui/app.ts', 'src/cli/commands/watch/ui-ports.ts'],
  picomatch: ['picomatch'],
  width: ['string-width'],
}

/** What is in another bundle stays outside of this one. */
const apart = (filter, path) => ({
  name: `apart ${path}`,
  setup: ({ onResolve }) => onResolve({ filter }, () => ({ path, external: true })),
})

/** Commander loads child_process for a kind of subcommand that we do not have; loading it costs every start 2 ms. */
const lightCommander = {
  name: 'light-commander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
      /[/\\]commander[/\\]/.test(importer) ? { path: 'child_process', namespace: 'unused' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** The JSON Schema of the settings goes in as what it is, not as the code that makes it. */
const schemaMade = schema => ({
  name: 'schema-made',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]settings[/\\]json-schema\.ts$/ }, () => ({
      contents: `export const jsonSchema = () => (${schema})`,
    })),
})

/** The plugin's hooks: each is one file that needs nothing else. */
const HOOKS = {
  context: 'src/hooks/context.ts',
  'pre-tool-use': 'src/hooks/pre-tool-use.ts',
  stop: 'src/hooks/stop.ts',
}

/** Within regular expressions esbuild leaves characters as they are; one of them, and V8 keeps all of it in twice the room. */
function leaveAscii(path) {
  const spelled = unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(path, readFileSync(path, 'utf8').replace(/[^\x00-\x7f]/g, spelled))
}

/**
 * ralph.js is a shell script whose second line starts Node with the same file; to Node that line is a string and a
 * comment. Only a shell can still tell that SIGHUP is ignored, as under nohup: Node undoes that before any JavaScript
 * runs. An ignored signal cannot be trapped, so the shell sends itself one.
 */
const LAUNCHER = `#!/usr/bin/env sh
':' //; hup=1; trap 'hup=' HUP; kill -s HUP $$; trap - HUP; [ -z "$hup" ] || export RALPH_NOHUP=1; exec node "$0" "$@"`

const schema = await schemaText()
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n')
writeFileSync('dist/settings.schema.json', `${schema}\n`)
await build({
  ...common,
  entryPoints: ['src/cli/ralph.ts'],
  outfile: 'dist/ralph.js',
  banner: { js: LAUNCHER },
})
const inside = {
  ...(await cut({ program: ['src/cli/main.ts'] }, common, [
    apart(/\/run-actions\.ts$/, './run.js'),
    apart(/\/actions\.ts$/, './actions.js'),
    lightCommander,
  ])),
  ...(await cut(PARTS, common, [
    schemaMade(schema),
    apart(/^@clack\/prompts$/, './prompts.js'),
    apart(/^yaml$/, './yaml.js'),
  ])),
}
// What is in each bundle: test/bundle.test.ts looks at it.
mkdirSync('node_modules/.cache/ralph/bundles', { recursive: true })
writeFileSync('node_modules/.cache/ralph/bundles/inside.json', JSON.stringify({ inside, doors: PARTS }))
await build({ ...common, entryPoints: ['@clack/prompts'], outfile: 'dist/prompts.js' })
await build({ ...common, entryPoints: ['yaml'], outfile: 'dist/yaml.js' })
for (const name of [...Object.keys(inside), 'prompts', 'yaml']) leaveAscii(`dist/${name}.js`)
chmodSync('dist/ralph.js', 0o755)
// Started in a process of its own; it imports the sandbox runtime, a module, from where the user installed it.
await build({
  ...common,
  format: 'esm',
  supported: {},
  entryPoints: ['src/cli/sandbox-host.ts'],
  outfile: 'dist/sandbox-host.mjs',
})
await build({ ...common, entryPoints: HOOKS, outdir: 'plugin/hooks' })
writeFileSync('plugin/hooks/package.json', '{ "type": "commonjs" }\n')
const opener = 'node_modules/.cache/ralph/open-bundle.cjs'
await build({ ...common, entryPoints: ['src/cli/open-bundle.ts'], outfile: opener })
execFileSync(process.execPath, ['scripts/warm.mjs', opener, 'dist'], { stdio: 'pipe' })
