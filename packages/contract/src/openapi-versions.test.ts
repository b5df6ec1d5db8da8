// Compares the documents of OpenAPI 3.1, OpenAPI 3.0, and Swagger 2.0. The tests rewrite each document to one form,
// which has what all three can express.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { CONTRACT, isPaginated, resourcesOf, typeName } from './contract.ts'
import { openapi } from './openapi.ts'
import { openapi30 } from './openapi-30.ts'
import { downgradedSchema } from './openapi-downgrade.ts'
import { swagger20 } from './swagger-20.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads documents as a tool without types does
type Node = any

const parsed = (document: unknown): Node => JSON.parse(JSON.stringify(document))
const BASE_URL = 'https://export.shop.example:8443'
const options = { baseUrl: BASE_URL }
const V31 = parsed(openapi(options))
const V30 = parsed(openapi30(options))
const V20 = parsed(swagger20(options))

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

describe('older versions of the OpenAPI document', () => {
  it('the documents of OpenAPI 3.1, OpenAPI 3.0, and Swagger 2.0 have the same content', () => {
    const expected = normalized(V31)
    expect(Object.keys(expected.operations)).toHaveLength(CONTRACT.endpoints.length)
    expect(normalized(V30)).toEqual(expected)
    expect(normalized(V20)).toEqual(expected)
  })

  it('if the OpenAPI 3.0 document lacks a nullable mark, enum value, response, header, limit, or extension, the comparison with 3.1 finds the difference', () => {
    const changes: ((document: Node) => void)[] = [
      (document) => delete document.components.schemas.Order.properties.customer_id.nullable,
      (document) => delete document.components.schemas.Order.properties.shipping_address.nullable,
      (document) => document.components.schemas.ErrorCode.enum.pop(),
      (document) => delete document.paths['/api/v1/orders'].get.responses['429'],
      (document) => delete document.components.responses.RateLimitedResponse.headers['retry-after'],
      (document) => delete document.paths['/api/v1/orders'].get.parameters[0].schema.maximum,
      (document) => delete document.paths['/api/v1/orders'].get['x-speakeasy-pagination'],
    ]
    for (const change of changes) {
      const document = structuredClone(V30)
      change(document)
      expect(normalized(document), String(change)).not.toEqual(normalized(V31))
    }
  })

  it('[FMT-6] the OpenAPI 3.0 and Swagger 2.0 documents mark each nullable field, and no other field, as nullable', () => {
    for (const resource of resourcesOf(CONTRACT)) {
      for (const [name, { nullable }] of Object.entries(resource.fields)) {
        const [in30, in20] = [V30.components.schemas, V20.definitions].map(
          (schemas) => schemas[typeName(resource)].properties[name],
        )
        expect([in30.nullable ?? false, in20['x-nullable'] ?? false], `${resource.name}.${name}`).toEqual([
          nullable,
          nullable,
        ])
      }
    }
  })

  it('the OpenAPI 3.1, OpenAPI 3.0, and Swagger 2.0 documents have the base URL of the option baseUrl', () => {
    expect([V31.servers[0].url, V30.servers[0].url]).toEqual([BASE_URL, BASE_URL])
    expect(V20).toMatchObject({ host: 'export.shop.example:8443', basePath: '/', schemes: ['https'] })
    const below = swagger20({ baseUrl: 'http://127.0.0.1:8080/export' })
    expect(below).toMatchObject({ host: '127.0.0.1:8080', basePath: '/export', schemes: ['http'] })
  })

  it.each([
    { version: '3.0', document: V30, skipped: [] },
    // The rule knows only the nulls of JSON Schema.
    { version: '2.0', document: V20, skipped: ['--skip-rule', 'no-invalid-schema-examples'] },
  ])('the document of OpenAPI version $version passes the Redocly linter', async ({ document, skipped }) => {
    const folder = await mkdtemp(join(tmpdir(), 'store-export-openapi-'))
    try {
      const file = join(folder, 'openapi.json')
      await writeFile(file, JSON.stringify(document))
      const cli = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      const lint = [cli, 'lint', '--config', join(ROOT, 'redocly.yaml'), ...skipped, file]
      await expect(run(process.execPath, lint, { env })).resolves.toBeDefined()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

it("if older OpenAPI versions can't express a schema, downgradedSchema throws an error", () => {
  for (const schema of [
    { const: 1 },
    { type: ['string', 'integer'] },
    { anyOf: [{ type: 'string' }, { type: 'object' }] },
  ])
    expect(() => downgradedSchema(schema, 'nullable'), JSON.stringify(schema)).toThrow('cannot express')
})

describe('OpenAPI extensions for generators', () => {
  it('the OpenAPI document has pagination extensions for generators on every paginated list and nowhere else', () => {
    for (const endpoint of CONTRACT.endpoints) {
      const operation = V31.paths[endpoint.path].get
      const expected = isPaginated(endpoint.response) ? ['x-fern-pagination', 'x-speakeasy-pagination'] : []
      expect(
        Object.keys(operation)
          .filter((name) => name.endsWith('-pagination'))
          .sort(),
        endpoint.id,
      ).toEqual(expected)
    }
  })

  it('the OpenAPI document has a retry extension for generators with the statuses 408, 409, 429, 502, 503, and 504', () => {
    expect(V31['x-speakeasy-retries'].statusCodes).toEqual(['408', '409', '429', '502', '503', '504'])
  })

  it('the OpenAPI document has x-enum-varnames for the values of each enum', () => {
    const parameters: Node[] = Object.values<Node>(V31.paths).flatMap(({ get }) => get.parameters ?? [])
    const enums = [...parameters.map(({ schema }) => schema), ...Object.values<Node>(V31.components.schemas)].filter(
      (schema) => schema.enum !== undefined,
    )
    expect(enums).toHaveLength(3)
    for (const schema of enums) {
      expect(schema['x-enum-varnames']).toHaveLength(schema.enum.length)
      for (const name of schema['x-enum-varnames']) expect(name).toMatch(/^([A-Z][a-z]+)+$/)
    }
  })
})

/** Returns what all three versions can express, in one form. */
function normalized(document: Node): Node {
  const isSwagger = document.swagger !== undefined
  const { schemas, responses, headers } = isSwagger
    ? { schemas: document.definitions, responses: document.responses, headers: {} }
    : document.components
  const { title, version, description, license } = document.info
  const operation = ({ parameters = [], responses: byStatus, ...rest }: Node) => ({
    ...rest,
    parameters: parameters.map(normalizedParameter),
    responses: mapped(byStatus, (response) =>
      normalizedResponse(response.$ref === undefined ? response : responses[nameIn(response.$ref)], headers),
    ),
  })
  return {
    info: { title, version, description, license: license.name },
    server: isSwagger
      ? `${document.schemes[0]}://${document.host}${document.basePath.replace(/\/$/, '')}`
      : document.servers[0].url,
    security: document.security,
    schemes: isSwagger ? document.securityDefinitions : document.components.securitySchemes,
    tags: document.tags,
    retries: document['x-speakeasy-retries'],
    operations: mapped(document.paths, (path) => mapped(path, operation)),
    schemas: mapped(schemas, normalizedSchema),
  }
}

/** In Swagger 2.0, the members of the schema are members of the parameter or header. */
function normalizedParameter({ name, in: place, required, ...rest }: Node): Node {
  return { name, place, required, ...normalizedValue(rest) }
}

function normalizedValue({ description, schema, example, examples, 'x-example': shown, ...rest }: Node): Node {
  const shownIn3 = example ?? Object.values<Node>(examples ?? {})[0]?.value
  return { description, schema: normalizedSchema(schema ?? rest), example: shown ?? shownIn3 }
}

/** Swagger 2.0 has one example, so the first one counts. */
function normalizedResponse(response: Node, shared: Node): Node {
  const { schema, example, examples } = response.content?.['application/json'] ?? {
    schema: response.schema,
    example: response.examples['application/json'],
  }
  return {
    description: response.description,
    headers: mapped(response.headers, (header) =>
      normalizedValue(header.$ref === undefined ? header : shared[nameIn(header.$ref)]),
    ),
    schema: normalizedSchema(schema),
    example: example ?? Object.values<Node>(examples)[0].value,
  }
}

function normalizedSchema(schema: Node): Node {
  if (schema === true) return true
  const { type, anyOf, nullable, 'x-nullable': xNullable, $ref, items, properties, ...others } = schema
  const { additionalProperties, examples, example, ...rest } = others
  const types = [type].flat().filter((each) => each !== undefined)
  const alternatives: string[] = anyOf?.map((each: Node) => each.type) ?? []
  if (anyOf !== undefined && alternatives.every((each) => each === 'string')) types.push('string')
  const isAny = $ref === undefined && types.length === 0
  return {
    ...rest,
    ...(isAny ? {} : { type: types.find((each) => each !== 'null'), ref: $ref && nameIn($ref) }),
    isNullable: isAny || types.includes('null') || nullable === true || xNullable === true,
    items: items && normalizedSchema(items),
    properties: properties && mapped(properties, normalizedSchema),
    additionalProperties: additionalProperties && normalizedSchema(additionalProperties),
    example: example ?? examples?.[0],
  }
}

function mapped(members: Node, change: (member: Node) => Node): Node {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]))
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
