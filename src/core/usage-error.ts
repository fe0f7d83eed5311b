/** Bad usage, settings or input: one line for the user that names the thing, the place and how to fix it; exit 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
