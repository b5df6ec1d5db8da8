// Creates the OpenAPI 3.0 document, for tools that don't read 3.1. Its content is the same, except for what 3.0 can't
// express: `info` has no summary, a schema has one example, and a union of strings is a string.

import { type OpenApiOptions, openapi } from './openapi.ts'
import { downgradedSchema, mapMembers, objectOf } from './openapi-downgrade.ts'
import type { OpenApiObject } from './openapi-schema.ts'

/** Returns the OpenAPI 3.0 document. `nullable` marks schemas that allow null. Throws if 3.0 can't express a schema. */
export function openapi30(options: OpenApiOptions = {}): OpenApiObject {
  const { info, paths, components, ...rest } = openapi(options)
  const { headers, responses, schemas, ...others } = objectOf(components)
  return {
    ...rest,
    openapi: '3.0.3',
    info: infoBefore31(info),
    paths: withSchemas(paths),
    components: {
      ...others,
      headers: withSchemas(headers),
      responses: withSchemas(responses),
      schemas: mapMembers(schemas, schemaOf),
    },
  }
}

const LICENSE_URL = 'https://spdx.org/licenses/MIT.html'

/** Returns `info` without the members that 3.1 added. The license gets a URL in place of its identifier. */
export function infoBefore31(info: unknown): OpenApiObject {
  const { summary: _, license, ...rest } = objectOf(info)
  return { ...rest, license: { name: objectOf(license).name, url: LICENSE_URL } }
}

/** Returns the node with each `schema` in it downgraded. Examples stay unchanged, because they are data. */
function withSchemas(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withSchemas)
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(node).map(([name, value]) => {
    if (name === 'schema') return [name, schemaOf(value)]
    return [name, name === 'example' || name === 'examples' ? value : withSchemas(value)]
  })
  return Object.fromEntries(members)
}

function schemaOf(schema: unknown): OpenApiObject {
  return downgradedSchema(objectOf(schema), 'nullable')
}
