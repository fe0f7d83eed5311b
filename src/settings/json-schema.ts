import * as z from 'zod/mini'
import { schema } from './schema.ts'

type Node = z.core.JSONSchema.BaseSchema

/** The JSON schema of a settings file, for editors. */
export function jsonSchema(): Node {
  const whole: Node = z.toJSONSchema(schema, {
    // Editors support this draft best.
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describeInput(zodSchema, jsonSchema),
  })
  const { $schema, ...rest } = whole
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
