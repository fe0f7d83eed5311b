import { userInfo } from 'node:os'
import { environmentOf } from './environment.ts'
import { type Found, found, row, type Setup } from './finding.ts'
import { printedBy } from './programs.ts'

/** Whether workers end when their user logs out, and which setting of systemd's login manager decides that. */
type LogoutFact = { ends: boolean; by: 'KillUserProcesses' | 'linger' }

/** What keeps workers alive, by what would end them. */
const KEEP_WORKERS: Record<LogoutFact['by'], string> = {
  KillUserProcesses:
    'loginctl enable-linger, then start workers with: systemd-run --user --scope ralph spawn …',
  linger: 'loginctl enable-linger',
}

export async function findLogout(place: Setup): Promise<Found<LogoutFact | null>> {
  const fact = await examineLogout(place)
  if (fact === null) return found(fact)
  if (!fact.ends) return found(fact, row('yes', 'logout', 'workers keep running'))
  const why = fact.by === 'linger' ? 'your user does not linger' : 'KillUserProcesses=yes'
  return found(fact, row('none', 'logout', `ends all workers (${why})`, KEEP_WORKERS[fact.by]))
}

/** Asks the login manager. Null if there is none, or no session of its is around this process. */
async function examineLogout({ run, cwd, env, rules, machine }: Setup): Promise<LogoutFact | null> {
  const user = self()
  const cgroup = machine.cgroup ?? ''
  const isManaged = /\/user@\d+\.service(?:\/|$)/m.test(cgroup)
  if (user === null || !(isManaged || /\/session-[^/\n]+\.scope(?:\/|$)/m.test(cgroup))) return null
  const options = { run, cwd, env: environmentOf(null, env, rules) }
  const ask = async (...words: string[]) => (await printedBy(options, 'loginctl', ...words)) ?? ''
  const properties = ['KillUserProcesses', 'KillOnlyUsers', 'KillExcludeUsers']
  // Without a session it describes the manager itself.
  const [manager, own] = await Promise.all([
    ask('show-session', '--all', ...properties.map(name => `--property=${name}`)),
    ask('show-user', String(user.uid), '--property=Linger'),
  ])
  const value = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const names = (property: string) => value(manager, property).split(/\s+/).filter(Boolean)
  const kills = value(manager, 'KillUserProcesses')
  if (kills === '') return null
  if (isManaged) return { ends: value(own, 'Linger') !== 'yes', by: 'linger' }
  const only = names('KillOnlyUsers')
  const isMeant =
    !names('KillExcludeUsers').includes(user.username) && (only.length === 0 || only.includes(user.username))
  return { ends: kills === 'yes' && isMeant, by: 'KillUserProcesses' }
}

function self(): { uid: number; username: string } | null {
  try {
    return userInfo()
  } catch {
    // A number without a name, as in some containers.
    return null
  }
}
