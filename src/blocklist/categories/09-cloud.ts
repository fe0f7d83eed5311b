import { type Call, has, operands, verbs } from '../call.ts'
import { type Category, onCall, programs } from '../rule.ts'

const said = (call: Call): string =>
  operands(call.args, [
    '--profile',
    '--region',
    '-n',
    '--namespace',
    '--context',
    '--project',
    '-g',
    '--kubeconfig',
    '-R',
    '--repo',
  ]).join(' ')

const CLOUD: Record<string, RegExp> = {
  aws: /^\S+ (?:rb|(?:delete|terminate|deregister|remove|purge|destroy)-\S+)\b/,
  gcloud: /\b(?:delete|destroy|remove-iam-policy-binding)\b/,
  gsutil: /^(?:-m )?(?:rb|rm)\b/,
  az: /\b(?:delete|purge)\b/,
  doctl: /\b(?:delete|destroy)\b/,
  heroku: /^(?:apps:destroy|destroy|pg:reset|addons:destroy)\b/,
  fly: /^(?:destroy|(?:apps|volumes?|machines?) destroy|postgres .*destroy)\b/,
  flyctl: /^(?:destroy|(?:apps|volumes?|machines?) destroy)\b/,
  gh: /^(?:repo (?:delete|archive)|release delete|secret (?:delete|remove)|api .*-X DELETE)\b/,
  glab: /^repo delete\b/,
  supabase: /^(?:projects delete|db reset --linked)\b/,
  vercel: /^(?:rm|remove|env rm)\b/,
  wrangler: /^(?:delete|d1 delete|r2 bucket delete|kv:namespace delete)\b/,
  firebase: /^(?:projects:delete|firestore:delete|database:remove|hosting:disable)\b/,
}

const STACKS: Record<string, RegExp> = {
  terraform: /^(?:destroy|apply|state rm|workspace delete|force-unlock)\b/,
  tofu: /^(?:destroy|apply|state rm)\b/,
  terragrunt: /^(?:destroy|apply|run-all (?:destroy|apply))\b/,
  pulumi: /^(?:destroy|up|stack rm)\b/,
  cdk: /^destroy\b/,
  serverless: /^remove\b/,
  sls: /^remove\b/,
  sam: /^delete\b/,
  'ansible-playbook': /^/,
  vagrant: /^destroy\b/,
}

const CLUSTER: Record<string, RegExp> = {
  kubectl: /^(?:delete|drain|replace --force|rollout undo|scale .*--replicas=0)\b/,
  oc: /^(?:delete|adm drain)\b/,
  helm: /^(?:uninstall|delete|rollback)\b/,
  k9s: /^$(?!)/,
  eksctl: /^delete\b/,
  kops: /^delete\b/,
}

const matches = (table: Record<string, RegExp>, call: Call): boolean =>
  Object.hasOwn(table, call.name) &&
  (table[call.name]!.test(said(call)) || table[call.name]!.test(call.args.join(' ')))

const isTrial = (call: Call): boolean => has(call, 'dry-run', 'dryrun', 'check', 'help', 'h')

const SQL =
  /^(?:psql|mysql|mariadb|sqlcmd|clickhouse-client|clickhouse|snowsql|cqlsh|bq|cockroach|usql|pgcli|mycli|duckdb|trino|presto)$/
const DESTROYS =
  /\bdrop\s+(?:database|schema|table|user|role|keyspace|view|index)\b|\btruncate\s+(?:table\s+)?["`\w]|\bdelete\s+from\s+["`\w.]+\s*(?:;|$)|\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\bdeleteMany\s*\(\s*\{\s*\}/i

const wordsOf = (call: Call): string[] => [...call.args, call.input.text ?? '']

/** Tasks of frameworks that empty a database. */
const RESETS =
  /^(?:db:(?:drop|reset|purge|schema:load)|migrate:(?:fresh|reset|refresh)|db:wipe|flush|sqlflush|reset_db|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop)$/

export const cloudCategory: Category = {
  number: 9,
  title: 'cloud and database destruction',
  programs: programs(
    'psql mysql mariadb sqlcmd clickhouse-client clickhouse snowsql cqlsh bq cockroach usql pgcli mycli duckdb trino presto mongo mongosh dropdb dropuser mysqladmin redis-cli rails rake artisan php manage.py python mix console prisma docker podman docker-compose',
    CLOUD,
    STACKS,
    CLUSTER,
  ),
  rules: [
    {
      name: 'cloud-delete',
      denies: onCall(
        call =>
          (matches(CLOUD, call) && !isTrial(call)) ||
          (call.name === 'aws' && /^s3 rm\b/.test(said(call)) && has(call, 'recursive') && !isTrial(call)),
      ),
      reason:
        'This deletes something in the cloud for good. Say in your answer what can go; a person deletes it.',
    },
    {
      name: 'stack-change',
      denies: onCall(call => matches(STACKS, call) && !isTrial(call)),
      reason:
        'This changes or destroys real infrastructure. Run the plan or preview, and leave the rest to a person.',
    },
    {
      name: 'cluster-delete',
      denies: onCall(call => matches(CLUSTER, call) && !isTrial(call)),
      reason:
        'This takes something out of a cluster. Look with get and describe, or try with --dry-run; a person does the rest.',
    },
    {
      name: 'sql-destroy',
      denies: onCall(
        call =>
          (SQL.test(call.name) || /^mongo(?:sh)?$/.test(call.name)) &&
          wordsOf(call).some(text => DESTROYS.test(text)),
      ),
      reason:
        'This destroys data in a database. Write a migration that a person can read, or use a database that your tests make.',
    },
    {
      name: 'drop-database',
      denies: onCall(
        call =>
          /^(?:dropdb|dropuser)$/.test(call.name) ||
          (call.name === 'mysqladmin' && call.args.includes('drop')) ||
          (call.name === 'redis-cli' && call.args.some(arg => /^flush(?:all|db)$/i.test(arg))),
      ),
      reason: 'This empties a database server. Use a database that your tests make and throw away.',
    },
    {
      name: 'reset-database',
      denies: onCall(
        call =>
          (/^(?:rails|rake|bin\/rails|artisan|php|manage\.py|python[\d.]*|mix|console)$/.test(call.name) &&
            call.args.slice(0, 3).some(arg => RESETS.test(arg))) ||
          (call.name === 'prisma' && /^(?:migrate reset|db push .*--force-reset)/.test(call.args.join(' '))),
      ),
      reason:
        'This empties the database that the project is set to. Set the environment of the tests in the same command, and ask a person if that is not enough.',
    },
    {
      name: 'docker-data',
      denies: onCall(call => {
        if (!/^(?:docker|podman|docker-compose)$/.test(call.name)) return false
        const words = operands(call.args).join(' ')
        if (/^(?:volume (?:rm|prune)|system prune|image prune|container prune)\b/.test(words)) return true
        return (
          (/^compose down\b/.test(words) ||
            (call.name === 'docker-compose' && verbs(call).verb === 'down')) &&
          has(call, 'v', 'volumes')
        )
      }),
      reason:
        'This deletes volumes or images of all projects on the machine. Remove what you made, by its name.',
    },
  ],
}
