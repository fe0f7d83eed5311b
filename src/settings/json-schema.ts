import * as z from 'zod/mini'
import { schema } from './schema.ts'
import { stepsOf, UNBUILT } from './unbuilt.ts'

type Node = z.core.JSONSchema.BaseSchema

/** The JSON schema of a settings file, for editors. Keys that are not built yet are left out. */
export function jsonSchema(): Node {
  const whole: Node = z.toJSONSchema(schema, {
    // Editors support this draft best.
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describeInput(zodSchema, jsonSchema),
  })
  const { $schema, ...rest } = UNBUILT.reduce((node, key) => without(node, stepsOf(key)), whole)
  return { $schema, title: 'Settings of ralph', ...rest }
}

/**
 * A value that is read in any case is offered in upper case, and lower case is valid. A value that may be a bare name is
 * a string or the object that the name stands for.
 */
function describeInput(kind: z.core.$ZodType, node: Node): void {
  const { def } = (kind as z.core.$ZodTypes)._zod
  if (def.type !== 'pipe') return
  const out = (def.out as z.core.$ZodTypes)._zod.def
  if (out.type === 'object') {
    const object = { ...node }
    for (const key of Object.keys(object)) delete node[key]
    node.anyOf = [{ type: 'string', pattern: '\\S' }, object]
  }
  if (out.type !== 'enum') return
  const values = Object.values(out.entries).map(String)
  const anyCase = values.map(value => value.replace(/[A-Z]/g, letter => `[${letter}${letter.toLowerCase()}]`))
  Object.assign(node, { anyOf: [{ enum: values }, { pattern: `^(?:${anyCase.join('|')})$` }] })
}

/** The node without the key at a path. Of several forms, one that requires the key is removed as a whole. */
function without(node: Node, [step, ...rest]: string[]): Node {
  if (step === undefined) return node
  if (step === '[]') return { ...node, items: without(node.items as Node, rest) }
  if (node.oneOf) {
    const forms = node.oneOf.filter(form => !form.required?.includes(step))
    const left = forms.map(form => without(form, [step, ...rest]))
    return left.length === 1 ? left[0]! : { ...node, oneOf: left }
  }
  const { [step]: found, ...others } = node.properties ?? {}
  if (found === undefined) return node
  const properties = rest.length === 0 ? others : { ...others, [step]: without(found as Node, rest) }
  return { ...node, properties }
}
