import { onOneLine } from '../../core/format.ts'

export type MakeTarget = {
  name: string
  /** All that decides what it does: its recipe, its prerequisites' recipes and the variables that they use. */
  text: string
  commands: string[]
}

type Rule = { needs: string[]; recipe: string[] }

/** These change how every recipe runs. */
const GLOBAL =
  /^(?:(?:export|override)\s+)*(?:\.IGNORE|\.SHELLFLAGS|\.ONESHELL|\.RECIPEPREFIX|SHELL|(?:GNU)?MAKEFLAGS)\b/

/** Reads one target of a Makefile, the first if it is null. Conditions and patterns are not followed. */
export function makeTarget(makefile: string, wanted: string | null): MakeTarget | null {
  const { rules, variables, globals } = parse(makefile)
  const name = wanted ?? [...rules.keys()].find(target => !target.startsWith('.'))
  if (name === undefined || !rules.has(name)) return null
  const lines: string[] = [...globals]
  const commands: string[] = []
  const seen = new Set<string>()
  const useVariables = (text: string) => {
    for (const [, variable] of text.matchAll(/\$[({](\w+)[)}]/g)) {
      const value = variables.get(variable!)
      if (value === undefined || seen.has(`$${variable}`)) continue
      seen.add(`$${variable}`)
      lines.push(`${variable} = ${value}`)
      useVariables(value)
    }
  }
  const visit = (target: string) => {
    const rule = rules.get(target)
    if (!rule || seen.has(target)) return
    seen.add(target)
    lines.push(`${target}: ${rule.needs.join(' ')}`, ...rule.recipe)
    commands.push(...rule.recipe.map(line => line.replace(/^[@+-]+/, '')))
    for (const line of [...rule.needs, ...rule.recipe]) useVariables(line)
    for (const need of rule.needs) visit(need)
  }
  visit(name)
  return { name, text: lines.join('\n'), commands }
}

function parse(makefile: string): {
  rules: Map<string, Rule>
  variables: Map<string, string>
  globals: string[]
} {
  const rules = new Map<string, Rule>()
  const variables = new Map<string, string>()
  const globals: string[] = []
  let current: Rule[] = []
  for (const line of makefile.replace(/\\\n/g, ' ').split('\n')) {
    if (line.startsWith('\t')) {
      for (const rule of current) rule.recipe.push(onOneLine(line))
      continue
    }
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    if (GLOBAL.test(line)) globals.push(onOneLine(line))
    const variable = /^(?:export\s+)?(\w+)\s*[:?+!]{0,2}=\s*(.*)$/.exec(line)
    if (variable) {
      variables.set(variable[1]!, onOneLine(`${variables.get(variable[1]!) ?? ''} ${variable[2]}`))
      current = []
      continue
    }
    const header = /^([^\s:=#][^:=#]*)::?(?!=)([^;#]*)(?:;(.*))?/.exec(line)
    current = header
      ? header[1]!
          .trim()
          .split(/\s+/)
          .map(target => ruleOf(rules, target))
      : []
    for (const rule of current) {
      rule.needs.push(...(header?.[2] ?? '').split(/\s+/).filter(word => word !== '' && word !== '|'))
      if (header?.[3]) rule.recipe.push(onOneLine(header[3]))
    }
  }
  return { rules, variables, globals }
}

function ruleOf(rules: Map<string, Rule>, target: string): Rule {
  const rule = rules.get(target) ?? { needs: [], recipe: [] }
  rules.set(target, rule)
  return rule
}
