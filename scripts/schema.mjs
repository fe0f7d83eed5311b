// The JSON Schema of the settings as text. It is made once, when ralph is built: the part of zod that makes it is
// seven times as large as what it makes.
import { build } from 'esbuild'

export async function schemaText() {
  const { outputFiles } = await build({
    entryPoints: ['src/settings/json-schema.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  const { jsonSchema } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  )
  return JSON.stringify(jsonSchema(), null, 2)
}
