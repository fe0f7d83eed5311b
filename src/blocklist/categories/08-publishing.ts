import { type Call, has, operands } from '../call.ts'
import { type Category, onCall, programs } from '../rule.ts'

/** What makes something public, by tool: the words after it, options left out. */
const PACKAGES: Record<string, RegExp> = {
  // npm takes the beginning of a command for the whole.
  npm: /^(?:pub(?:l|li|lis|lish)?|unp\w*|deprecate|dist-tag add|owner add|access (?:set|grant|public))\b/,
  pnpm: /^(?:publish|-r publish)\b/,
  yarn: /^(?:publish|npm publish)\b/,
  bun: /^publish\b/,
  cargo: /^(?:publish|yank|owner)\b/,
  twine: /^upload\b/,
  poetry: /^publish\b/,
  uv: /^publish\b/,
  hatch: /^publish\b/,
  flit: /^publish\b/,
  pdm: /^publish\b/,
  gem: /^(?:push|yank)\b/,
  mvn: /\b(?:deploy|release:perform)\b/,
  gradle: /\bpublish\w*/,
  gradlew: /\bpublish\w*/,
  dotnet: /^nuget (?:push|delete)\b/,
  nuget: /^push\b/,
  vsce: /^(?:publish|unpublish)\b/,
  ovsx: /^publish\b/,
  dart: /^pub publish\b/,
  flutter: /^pub publish\b/,
  pod: /^trunk push\b/,
  lerna: /^publish\b/,
  changeset: /^publish\b/,
  goreleaser: /^release\b/,
  'semantic-release': /^/,
  np: /^/,
  jsr: /^publish\b/,
  deno: /^publish\b/,
  mix: /^hex\.publish\b/,
  conan: /^upload\b/,
}

const IMAGES: Record<string, RegExp> = {
  docker: /^(?:push|image push|manifest push|compose push)\b/,
  podman: /^(?:push|image push)\b/,
  buildah: /^push\b/,
  skopeo: /^copy\b/,
  crane: /^push\b/,
  helm: /^(?:push|cm-push)\b/,
  oras: /^push\b/,
}

const DEPLOYS: Record<string, RegExp> = {
  firebase: /^deploy\b/,
  fly: /^deploy\b/,
  flyctl: /^deploy\b/,
  wrangler: /^(?:deploy|publish|pages deploy)\b/,
  serverless: /^deploy\b/,
  sls: /^deploy\b/,
  cdk: /^deploy\b/,
  sam: /^deploy\b/,
  gcloud: /^(?:app|run|functions) deploy\b/,
  railway: /^up\b/,
  eas: /^(?:submit|update)\b/,
  'gh-pages': /^/,
  surge: /^/,
}

const FORGE: Record<string, RegExp> = {
  gh: /^(?:release (?:create|upload|edit)|pr merge|gist create|repo create|workflow run)\b/,
  glab: /^(?:release (?:create|upload)|mr merge|repo create|snippet create)\b/,
}

const says =
  (table: Record<string, RegExp>) =>
  (call: Call): boolean =>
    Object.hasOwn(table, call.name) &&
    table[call.name]!.test(
      operands(call.args, ['-C', '--prefix', '--registry', '-w', '--workspace', '-R', '--repo']).join(' '),
    )

const isTrial = (call: Call): boolean =>
  has(call, 'dry-run', 'help', 'version', 'n', 'noop', 'no-push', 'snapshot')

export const publishingCategory: Category = {
  number: 8,
  title: 'publishing',
  programs: programs('vercel netlify', PACKAGES, IMAGES, DEPLOYS, FORGE),
  rules: [
    {
      name: 'publish-package',
      denies: onCall(call => says(PACKAGES)(call) && !isTrial(call)),
      reason:
        'This publishes a package, which cannot be taken back. Try it with --dry-run or a pack command; a person publishes.',
    },
    {
      name: 'push-image',
      denies: onCall(
        call =>
          (says(IMAGES)(call) && !isTrial(call)) ||
          (call.name === 'docker' && /^(?:build|buildx)$/.test(call.args[0] ?? '') && has(call, 'push')),
      ),
      reason: 'This publishes an image. Build it and leave it on this machine; a person pushes it.',
    },
    {
      name: 'deploy',
      denies: onCall(
        call =>
          (says(DEPLOYS)(call) && !isTrial(call)) ||
          (call.name === 'vercel' && (has(call, 'prod') || call.args[0] === 'promote')) ||
          (call.name === 'netlify' && call.args[0] === 'deploy' && has(call, 'prod', 'p')),
      ),
      reason: 'This puts the work before its users. Make the build green; a person deploys it.',
    },
    {
      name: 'release',
      denies: onCall(call => says(FORGE)(call) && !isTrial(call)),
      reason:
        'This makes something public on the forge, or merges it for everyone. Push a branch or open a pull request; a person does the rest.',
    },
    {
      name: 'make-public',
      denies: onCall(
        call =>
          call.name === 'gh' && call.args.slice(0, 2).join(' ') === 'repo edit' && has(call, 'visibility'),
      ),
      reason: 'This changes who can see the repository. Only a person may do that.',
    },
  ],
}
