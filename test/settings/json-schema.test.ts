import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonSchema } from '../../src/settings/json-schema.ts'
import { schema } from '../../src/settings/schema.ts'

const { properties } = jsonSchema() as { properties: Record<string, Record<string, unknown>> }

test('the JSON Schema has every key', () => {
  expect(Object.keys(properties)).toEqual(Object.keys(schema.shape))
})

test('it knows both kinds of guardrails: a command, and a method of verification', () => {
  const { items } = properties.guardrails as {
    items: { oneOf: { properties: object; required: string[] }[] }
  }
  expect(items.oneOf.map(form => form.required)).toEqual([['command'], ['verify']])
  expect(Object.keys(items.oneOf[1]!.properties)).toEqual(['verify', 'config'])
})

test('it offers the fail actions and takes them in any case, as ralph does', () => {
  const { items } = properties.guardrails as {
    items: {
      oneOf: [{ properties: { failAction: { anyOf: [{ enum: string[] }, { pattern: string }] } } }]
    }
  }
  const [offered, taken] = items.oneOf[0].properties.failAction.anyOf
  expect(offered.enum).toEqual(['APPEND', 'PREPEND', 'REPLACE'])
  const takes = (value: string) => new RegExp(taken.pattern).test(value)
  expect(['APPEND', 'prepend', 'rePlace', 'xAPPEND', 'APPENDx', ''].map(takes)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('a fallback agent is offered as a name and as an object', () => {
  const { items } = properties.fallbackAgents as { items: { anyOf: { type: string; required?: string[] }[] } }
  expect(items.anyOf).toMatchObject([
    { type: 'string' },
    { type: 'object', required: ['command'], additionalProperties: false },
  ])
})

test('nothing is required, defaults are given, and unknown keys are refused', () => {
  expect(jsonSchema()).not.toHaveProperty('required')
  expect(jsonSchema()).toMatchObject({ additionalProperties: false })
  expect(properties.maximumIterations).toMatchObject({ type: 'integer', minimum: 1, default: 10 })
})

test('the package has it as a file', () => {
  const file = join(import.meta.dirname, '..', '..', 'dist', 'settings.schema.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(jsonSchema())))
})
