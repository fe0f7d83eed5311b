/** What ralph writes into `.ralph/.gitignore` where there is none. It ignores itself too: a run leaves git's status clean. */
export const OWN_IGNORE = '.gitignore\nsessions/\nsettings.local.json\n'

/** With exactly one of these texts it is ralph's own file. After a crash it may be empty. */
export const OWN_IGNORES: readonly string[] = ['', OWN_IGNORE]
