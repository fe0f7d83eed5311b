/** What ralph writes into `.ralph/.gitignore` where there is none. With exactly this text it is ralph's own file. */
export const OWN_IGNORE = 'sessions/\nsettings.local.json\n'
