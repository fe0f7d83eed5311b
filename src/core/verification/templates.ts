import { shellQuoted } from '../format.ts'

/** Ready-made external verifications by name. What they take is in their config. */
type Template = (config: Readonly<Record<string, unknown>>) => Expanded

/** A config for `external`, or what is wrong with the template's own, by key. */
type Expanded = { config: Record<string, unknown> } | { key: string; problem: string }

const always =
  (command: string): Template =>
  config =>
    'command' in config
      ? { key: 'command', problem: 'is part of the template; use "external" for a command of your own' }
      : { config: { command, ...config } }

const fileExists: Template = ({ path, ...config }) => {
  const paths = Array.isArray(path) ? path : [path]
  if (paths.length === 0 || !paths.every(one => typeof one === 'string' && one !== ''))
    return { key: 'path', problem: 'must be a file name or a list of them' }
  return { config: { command: paths.map(one => `test -f ${shellQuoted(one)}`).join(' && '), ...config } }
}

const httpOk: Template = ({ url, status = 200, ...config }) => {
  if (typeof url !== 'string' || !/^https?:\/\/\S+$/.test(url))
    return { key: 'url', problem: 'must be an address that begins with http:// or https://' }
  if (!Number.isInteger(status)) return { key: 'status', problem: 'must be an HTTP status such as 200' }
  const command = `curl -sS -o /dev/null -w 'status %{http_code}\\n' --max-time 30 ${shellQuoted(url)}`
  return { config: { command, output_contains: `status ${status}`, ...config } }
}

export const TEMPLATES: Readonly<Record<string, Template>> = {
  'tests:npm': always('npm test'),
  'tests:pytest': always('pytest'),
  'tests:go': always('go test ./...'),
  'tests:cargo': always('cargo test'),
  'lint:eslint': always('npx --no-install eslint .'),
  'lint:ruff': always('ruff check .'),
  'types:tsc': always('npx --no-install tsc --noEmit'),
  'file-exists': fileExists,
  'http-ok': httpOk,
}
