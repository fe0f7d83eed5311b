import { known } from './index.ts'

/** The names and patterns of variables that an agent may have although they look secret. An unknown agent has none. */
export function ownNames(
  agent: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const cli = known.get(agent)
  if (!cli) return []
  const providers = Object.entries(cli.ownEnvWhen ?? {}).filter(([variable]) => isOn(env[variable]))
  return [...cli.ownEnv, ...providers.flatMap(([, names]) => names)]
}

const isOn = (value = ''): boolean => !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase())
