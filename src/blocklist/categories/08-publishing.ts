import { type Category, exceptWith } from '../rule.ts'

const TRIAL = 'dry-run help version n noop no-push snapshot'

export const publishingCategory: Category = {
  number: 8,
  title: 'publishing',
  rules: {
    'publish-package': [
      'This publishes a package, which cannot be taken back. Try it with --dry-run or a pack command; a person publishes.',
      ...exceptWith(TRIAL, [
        // npm takes the beginning of a command for the whole.
        { program: 'npm', operand: /^(?:pub(?:l|li|lis|lish)?|unp\w*|deprecate|dist-tag add|owner add)\b/ },
        { program: 'npm', operand: /^access (?:set|grant|public)\b/ },
        { program: 'pnpm yarn bun lerna changeset jsr deno vsce ovsx', operand: /^publish\b/ },
        { program: 'cargo poetry uv hatch flit pdm', operand: /^publish\b/ },
        { program: 'yarn', operand: /^npm publish\b/ },
        { program: 'cargo', operand: /^(?:yank|owner)\b/ },
        { program: 'vsce', operand: /^unpublish\b/ },
        { program: 'twine conan', operand: /^upload\b/ },
        { program: 'gem nuget', operand: /^(?:push|yank)\b/ },
        { program: 'dotnet', operand: /^nuget (?:push|delete)\b/ },
        { program: 'mvn', text: /\b(?:deploy|release:perform)\b/ },
        { program: 'gradle gradlew', operand: /\bpublish\w*/ },
        { program: 'dart flutter', operand: /^pub publish\b/ },
        { program: 'pod', operand: /^trunk push\b/ },
        { program: 'goreleaser', operand: /^release\b/ },
        { program: 'mix', operand: /^hex\.publish\b/ },
        { program: 'semantic-release np' },
      ]),
    ],
    'push-image': [
      'This publishes an image. Build it and leave it on this machine; a person pushes it.',
      ...exceptWith(TRIAL, [
        { program: 'docker podman', operand: /^(?:(?:image|manifest|compose) )?push\b/ },
        { program: 'buildah crane helm oras', operand: /^push\b/ },
        { program: 'skopeo', operand: /^copy\b/ },
        { program: 'helm', operand: /^cm-push\b/ },
        { program: 'docker', operand: /^build/, flags: 'push' },
      ]),
    ],
    deploy: [
      'This puts the work before its users. Make the build green; a person deploys it.',
      ...exceptWith(TRIAL, [
        { program: 'firebase fly flyctl wrangler serverless sls cdk sam', operand: /^deploy\b/ },
        { program: 'wrangler', operand: /^(?:publish|pages deploy)\b/ },
        { program: 'gcloud', operand: /^(?:app|run|functions) deploy\b/ },
        { program: 'railway', operand: /^up\b/ },
        { program: 'eas', operand: /^(?:submit|update)\b/ },
        { program: 'gh-pages surge' },
        { program: 'vercel', flags: 'prod' },
        { program: 'vercel', operand: /^promote\b/ },
        { program: 'netlify', operand: /^deploy\b/, flags: 'prod p' },
      ]),
    ],
    release: [
      'This makes something public on the forge, or merges it for everyone. Push a branch or open a pull request; a person does the rest.',
      ...exceptWith(TRIAL, [
        { program: 'gh glab', operand: /^release (?:create|upload|edit)\b/ },
        { program: 'gh', operand: /^(?:pr merge|gist create|repo create|workflow run)\b/ },
        { program: 'glab', operand: /^(?:mr merge|repo create|snippet create)\b/ },
      ]),
    ],
    'make-public': [
      'This changes who can see the repository. Only a person may do that.',
      { program: 'gh', operand: /^repo edit\b/, flags: 'visibility' },
    ],
  },
}
