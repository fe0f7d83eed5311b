import { type Context, createContext, Script } from 'node:vm'

/** A hundred times what matching all names of a large tree takes. */
const LIMIT_MS = 5000

const script = new Script('act()')
let context: Context | null = null

/** The result of an action, or null if it takes too long: some patterns would backtrack for years. */
export function withTimeLimit<T extends object>(act: () => T, limitMs = LIMIT_MS): T | null {
  context ??= createContext({})
  context.act = act
  try {
    return script.runInContext(context, { timeout: limitMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    context.act = null
  }
}
