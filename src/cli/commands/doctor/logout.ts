import { userInfo } from 'node:os'
import type { LogoutFact } from './facts.ts'
import { type ExamineOptions, printedBy } from './programs.ts'

/** What systemd's login manager says. */
type Login = {
  /** The control groups of this process, as the kernel lists them. */
  cgroup: string
  user: string
  kills: boolean
  killsOnly: string[]
  spares: string[]
  lingers: boolean
}

/** What happens to workers that are started here, when their user logs out; null: no session of systemd's is around. */
function fateAtLogout({ cgroup, user, kills, killsOnly, spares, lingers }: Login): LogoutFact | null {
  if (/\/user@\d+\.service(?:\/|$)/m.test(cgroup)) return { ends: !lingers, by: 'linger' }
  if (!/\/session-[^/\n]+\.scope(?:\/|$)/m.test(cgroup)) return null
  const isMeant = !spares.includes(user) && (killsOnly.length === 0 || killsOnly.includes(user))
  return { ends: kills && isMeant, by: 'KillUserProcesses' }
}

/** Asks the login manager, if there is one. */
export async function examineLogout(
  options: ExamineOptions,
  cgroup: string | null,
): Promise<LogoutFact | null> {
  const user = self()
  if (cgroup === null || user === null) return null
  const ask = async (...words: string[]) => (await printedBy(options, 'loginctl', ...words)) ?? ''
  const properties = ['KillUserProcesses', 'KillOnlyUsers', 'KillExcludeUsers']
  // Without a session it tells about the manager itself.
  const [manager, own] = await Promise.all([
    ask('show-session', '--all', ...properties.map(name => `--property=${name}`)),
    ask('show-user', String(user.uid), '--property=Linger'),
  ])
  const value = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const words = (name: string) => value(manager, name).split(/\s+/).filter(Boolean)
  if (value(manager, 'KillUserProcesses') === '') return null
  return fateAtLogout({
    cgroup,
    user: user.username,
    kills: value(manager, 'KillUserProcesses') === 'yes',
    killsOnly: words('KillOnlyUsers'),
    spares: words('KillExcludeUsers'),
    lingers: value(own, 'Linger') === 'yes',
  })
}

function self(): { uid: number; username: string } | null {
  try {
    return userInfo()
  } catch {
    // A number without a name, as in some containers.
    return null
  }
}
