const NAMES = ['test', 'lint', 'check']

/** The targets of a makefile that verify something. `test := x` is a variable, `.PHONY: test` no rule for it. */
export function findTargets(makefile: string): string[] {
  const rules = [...makefile.matchAll(/^([^\s#:=][^#:=\n]*)::?(?!:*=)/gm)]
  const targets = new Set(rules.flatMap(([, names]) => names!.trim().split(/\s+/)))
  return NAMES.filter(name => targets.has(name))
}

/** The recipes of a justfile that verify something and need no argument. */
export function findRecipes(justfile: string): string[] {
  const heads = [...justfile.matchAll(/^@?([\w-]+)([^:\n]*):(?!=)/gm)]
  const callable = heads.filter(([, , parameters]) => parameters!.split(/\s+/).every(isOptional))
  const recipes = new Set(callable.map(([, name]) => name))
  return NAMES.filter(name => recipes.has(name))
}

/** `filter="all"` has a default, `*rest` may be empty. */
const isOptional = (parameter: string): boolean => parameter === '' || /^\*|=/.test(parameter)
