import manifest from '../../../../package.json' with { type: 'json' }
import { ralphHome } from '../../../runs/find.ts'
import { loadSettings } from '../../../settings/load.ts'
import { findAgents } from './agents.ts'
import { describeEnvironments } from './environment.ts'
import { type Found, found, row, type Setup, type World } from './finding.ts'
import { findFolder } from './folders.ts'
import { findLogout } from './logout.ts'
import { findChecks, findLock, findProtect, findRuns, findSettings, findTrust } from './project.ts'
import { findSandbox } from './sandbox.ts'
import { findTools } from './tools.ts'

/** All that doctor says. */
export type Diagnosis = Awaited<ReturnType<typeof examine>>

/**
 * Examines everything that a run would need. Opens no credential file, changes nothing, and throws for nothing it finds.
 * `environment`: also who would get which variables.
 */
export async function examine(world: World, { environment }: { environment: boolean }) {
  const place = readPlace(world)
  const { env, cwd, home, settings } = place
  const [agents, tools, logout, missing] = await Promise.all([
    findAgents(place),
    findTools(place),
    findLogout(place),
    settings?.sandbox.mode === 'none' ? [] : world.checkSrt(),
  ])
  const sandbox = findSandbox(place, tools.fact, missing)
  const lock = findLock(place)
  const runs = findRuns(place, lock.fact)
  const project = {
    path: found(cwd),
    settings: findSettings(place),
    trust: findTrust(place),
    guardrails: findChecks(place),
    protect: findProtect(place),
    lock,
  }
  const folders = [
    findFolder('home', home),
    findFolder('project', cwd),
    findFolder('temporary', env.TMPDIR || env.TMP || env.TEMP || '/tmp'),
  ]
  const ralph = {
    version: findVersion(),
    node: findNode(place),
    home: found({ path: home, writable: folders[0]!.fact.trouble === null }),
    platform: findPlatform(place),
  }
  return {
    facts: {
      ...agents.fact,
      ...factsOf({ tools, sandbox, logout }),
      project: { ...factsOf(project), ...runs.fact },
      ralph: factsOf(ralph),
      folders: folders.map(({ fact }) => fact),
      ...(environment && { environment: describeEnvironments(place, agents.fact.pick, sandbox.tier) }),
    },
    groups: [
      group('agents', [agents]),
      group('tools', [tools, logout]),
      group('sandbox', [sandbox]),
      group(`project ${cwd}`, [...Object.values(project), runs]),
      group('ralph', Object.values(ralph)),
      group('folders', folders),
    ],
    obstacles: obstaclesIn([
      project.settings,
      agents,
      project.trust,
      project.protect,
      sandbox,
      ...folders,
      ralph.node,
    ]),
  }
}

function readPlace(world: World): Setup {
  const home = ralphHome(world.env)
  const none = { pass: [], drop: [] }
  try {
    const loaded = loadSettings(world.cwd, {}, home)
    const { settings } = loaded
    return { ...world, home, read: { type: 'read', loaded }, settings, rules: settings.env }
  } catch (error) {
    const read = { type: 'invalid' as const, error: (error as Error).message }
    return { ...world, home, read, settings: null, rules: none }
  }
}

type Several = readonly Found<unknown>[]

const group = (title: string, several: Several) => ({ title, rows: several.flatMap(({ rows }) => rows) })

const obstaclesIn = (several: Several) => several.flatMap(({ obstacle }) => obstacle ?? [])

/** The facts of several matters, by their names. */
const factsOf = <Facts extends object>(several: { [Name in keyof Facts]: Found<Facts[Name]> }): Facts =>
  Object.fromEntries(Object.entries<Found<unknown>>(several).map(([name, { fact }]) => [name, fact])) as Facts

const findVersion = () => found(manifest.version, row('yes', 'version', manifest.version))

function findNode({ machine: { node } }: Setup) {
  const needs = manifest.engines.node.replace(/^\D+/, '')
  const fact = { version: node, needs, enough: isAtLeast(node, needs) }
  if (fact.enough) return found(fact, row('yes', 'node', node))
  return {
    ...found(fact, row('no', 'node', `${node} is too old`, `install ${needs} or newer`)),
    obstacle: `Node ${node} is too old; ${needs} or newer is needed`,
  }
}

function findPlatform({ machine: { platform, arch } }: Setup) {
  const supported = platform === 'linux' || platform === 'darwin'
  return found(
    { name: platform, arch, supported },
    row(
      supported ? 'yes' : 'no',
      'platform',
      `${platform} ${arch}`,
      supported ? null : 'Linux, macOS or WSL',
    ),
  )
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}
