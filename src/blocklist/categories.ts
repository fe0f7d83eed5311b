import { deletesCategory } from './categories/01-deletes.ts'
import { disksCategory } from './categories/02-disks.ts'
import { permissionsCategory } from './categories/03-permissions.ts'
import { historyCategory } from './categories/04-history.ts'
import { credentialsCategory } from './categories/05-credentials.ts'
import { exfiltrationCategory } from './categories/06-exfiltration.ts'
import { remoteCodeCategory } from './categories/07-remote-code.ts'
import { publishingCategory } from './categories/08-publishing.ts'
import { cloudCategory } from './categories/09-cloud.ts'
import { forkBombsCategory } from './categories/10-fork-bombs.ts'
import { persistenceCategory } from './categories/11-persistence.ts'
import { processesCategory } from './categories/12-processes.ts'
import { containersCategory } from './categories/13-containers.ts'
import { tricksCategory } from './categories/14-tricks.ts'
import type { Category } from './rule.ts'

/** In the order of their numbers; the first that denies is the one that is told. */
export const CATEGORIES: readonly Category[] = [
  deletesCategory,
  disksCategory,
  permissionsCategory,
  historyCategory,
  credentialsCategory,
  exfiltrationCategory,
  remoteCodeCategory,
  publishingCategory,
  cloudCategory,
  forkBombsCategory,
  persistenceCategory,
  processesCategory,
  containersCategory,
  tricksCategory,
]
