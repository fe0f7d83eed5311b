import type { Call } from '../call.ts'
import { type Category, exceptWith } from '../rule.ts'

const TRIAL = 'dry-run dryrun check help h'

const CLIENTS =
  'psql mysql mariadb sqlcmd clickhouse-client clickhouse snowsql cqlsh bq cockroach usql pgcli mycli duckdb trino presto mongo mongosh'
const DESTROYS =
  /\bdrop\s+(?:database|schema|table|user|role|keyspace|view|index)\b|\btruncate\s+(?:table\s+)?["`\w]|\bdelete\s+from\s+["`\w.]+\s*(?:;|$)|\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\bdeleteMany\s*\(\s*\{\s*\}/i

const destroysData = (call: Call): boolean =>
  [...call.args, call.input.text ?? ''].some(text => DESTROYS.test(text))

/** Tasks of frameworks that empty a database. */
const RESETS =
  /^(?:db:(?:drop|reset|purge|schema:load)|migrate:(?:fresh|reset|refresh)|db:wipe|flush|sqlflush|reset_db|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop)$/

const resetsDatabase = (call: Call): boolean => call.args.slice(0, 3).some(arg => RESETS.test(arg))

export const cloudCategory: Category = {
  number: 9,
  title: 'cloud and database destruction',
  rules: {
    'cloud-delete': [
      'This deletes something in the cloud for good. Say in your answer what can go; a person deletes it.',
      ...exceptWith(TRIAL, [
        { program: 'aws', operand: /^\S+ (?:rb|(?:delete|terminate|deregister|remove|purge|destroy)-\S+)\b/ },
        { program: 'aws', operand: /^s3 rm\b/, flags: 'recursive' },
        { program: 'gcloud az doctl', operand: /\b(?:delete|destroy|purge|remove-iam-policy-binding)\b/ },
        { program: 'gsutil', operand: /^(?:rb|rm)\b/ },
        { program: 'heroku', operand: /^(?:apps:destroy|destroy|pg:reset|addons:destroy)\b/ },
        { program: 'fly flyctl', operand: /^(?:(?:apps|volumes?|machines?|postgres .*)? ?)destroy\b/ },
        {
          program: 'gh glab',
          operand: /^(?:repo (?:delete|archive)|(?:release|secret) (?:delete|remove))\b/,
        },
        { program: 'gh', text: /^api .*-X DELETE\b/ },
        { program: 'supabase', operand: /^projects delete\b/ },
        { program: 'supabase', operand: /^db reset\b/, flags: 'linked' },
        { program: 'vercel', operand: /^(?:rm|remove|env rm)\b/ },
        { program: 'wrangler', operand: /^(?:delete|d1 delete|r2 bucket delete|kv:namespace delete)\b/ },
        {
          program: 'firebase',
          operand: /^(?:(?:projects|firestore):delete|database:remove|hosting:disable)\b/,
        },
      ]),
    ],
    'stack-change': [
      'This changes or destroys real infrastructure. Run the plan or preview, and leave the rest to a person.',
      ...exceptWith(TRIAL, [
        { program: 'terraform tofu terragrunt', operand: /^(?:run-all )?(?:destroy|apply)\b/ },
        { program: 'terraform tofu', operand: /^(?:state rm|workspace delete|force-unlock)\b/ },
        { program: 'pulumi', operand: /^(?:destroy|up|stack rm)\b/ },
        { program: 'cdk vagrant', operand: /^destroy\b/ },
        { program: 'serverless sls', operand: /^remove\b/ },
        { program: 'sam', operand: /^delete\b/ },
        { program: 'ansible-playbook' },
      ]),
    ],
    'cluster-delete': [
      'This takes something out of a cluster. Look with get and describe, or try with --dry-run; a person does the rest.',
      ...exceptWith(TRIAL, [
        { program: 'kubectl oc', operand: /^(?:delete|drain|adm drain|rollout undo)\b/ },
        { program: 'kubectl', operand: /^replace\b/, flags: 'force' },
        { program: 'kubectl', operand: /^scale\b/, text: /--replicas=0\b/ },
        { program: 'helm', operand: /^(?:uninstall|delete|rollback)\b/ },
        { program: 'eksctl kops', operand: /^delete\b/ },
      ]),
    ],
    'sql-destroy': [
      'This destroys data in a database. Write a migration that a person can read, or use a database that your tests make.',
      { program: CLIENTS, when: destroysData },
    ],
    'drop-database': [
      'This empties a database server. Use a database that your tests make and throw away.',
      { program: 'dropdb dropuser' },
      { program: 'mysqladmin', text: /(?:^| )drop(?: |$)/ },
      { program: 'redis-cli', text: /(?:^| )flush(?:all|db)(?: |$)/i },
    ],
    'reset-database': [
      'This empties the database that the project is set to. Set the environment of the tests in the same command, and ask a person if that is not enough.',
      { program: 'rails rake artisan php manage.py python mix console', when: resetsDatabase },
      { program: 'prisma', operand: /^migrate reset\b/ },
      { program: 'prisma', operand: /^db push\b/, flags: 'force-reset' },
    ],
    'docker-data': [
      'This deletes volumes or images of all projects on the machine. Remove what you made, by its name.',
      { program: 'docker podman', operand: /^(?:volume (?:rm|prune)|(?:system|image|container) prune)\b/ },
      { program: 'docker podman', operand: /^compose down\b/, flags: 'v volumes' },
      { program: 'docker-compose', operand: /^down\b/, flags: 'v volumes' },
    ],
  },
}
