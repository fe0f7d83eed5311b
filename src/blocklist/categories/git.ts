/** Options of git, before its verb, that take the next word. */
export const GIT_VALUES = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path']
