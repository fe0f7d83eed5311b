import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/**
 * The user's home folder. An empty or relative HOME would be a folder of the project, so it counts as none; then it is
 * what the system has for the user. A user that the system does not know, as in a container, has `/`.
 */
export function homeFolder(): string {
  try {
    const named = homedir()
    return isAbsolute(named) ? named : userInfo().homedir
  } catch {
    return '/'
  }
}
