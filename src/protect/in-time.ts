import { type Context, createContext, Script } from 'node:vm'

/** Matching all names of a large tree takes a hundredth of it. */
const LIMIT_MS = 5000

const script = new Script('act()')
let context: Context | null = null

/** What an act comes to, or null if it takes too long: some patterns would backtrack for years. */
export function inTime<T extends object>(act: () => T): T | null {
  context ??= createContext({})
  context.act = act
  try {
    return script.runInContext(context, { timeout: LIMIT_MS })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    context.act = null
  }
}
