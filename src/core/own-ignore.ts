/** What ralph writes into `.ralph/.gitignore` where there is none. It ignores itself too: a run leaves git's status clean. */
export const OWN_IGNORE = '.gitignore\nsessions/\nsettings.local.json\n'

/** With exactly one of these texts it is ralph's own file: empty after a crash, or of an older ralph. */
export const OWN_IGNORES: readonly string[] = ['', OWN_IGNORE, 'sessions/\nsettings.local.json\n']
