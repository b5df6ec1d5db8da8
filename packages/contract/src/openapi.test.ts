import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { CONTRACT, errorsOf, resourcesOf, typeName } from './contract.ts'
import { ENDPOINTS } from './endpoints.ts'
import { ERRORS } from './errors.ts'
import { exampleOf } from './example.ts'
import { fieldSince } from './notes.ts'
import { openapi } from './openapi.ts'
import { SCHEMA_EXTENSIONS } from './openapi-schema.ts'
import { order } from './resources/order.ts'
import { includesRevision, REVISIONS, type RevisionId } from './revisions.ts'

interface Schema {
  readonly type?: string | string[]
  readonly description?: string
  readonly required?: string[]
  readonly properties?: Record<string, Schema>
  readonly 'x-since'?: string
}

interface Document {
  readonly paths: Record<string, { get: Operation }>
  readonly components: { schemas: Record<string, Schema>; responses: Record<string, unknown> }
}

interface Operation {
  readonly operationId: string
  readonly responses: Record<string, unknown>
  readonly parameters?: ReadonlyArray<{ name: string; description: string; schema: { enum?: string[] } }>
}

const document = JSON.parse(JSON.stringify(openapi())) as Document
const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns a validator of one component schema, in the strict mode of ajv. */
function validator(name: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  formats.default(ajv)
  ajv.addVocabulary([...SCHEMA_EXTENSIONS, 'components'])
  ajv.addSchema({ $id: 'document', components: document.components }, undefined, undefined, false)
  return ajv.compile({ $ref: `document#/components/schemas/${name}` })
}

describe('operations and schemas in the OpenAPI document', () => {
  it('the OpenAPI document passes the Redocly linter', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'store-export-openapi-'))
    try {
      const file = join(folder, 'openapi.json')
      await writeFile(file, JSON.stringify(document))
      const cli = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      const lint = [cli, 'lint', '--config', join(ROOT, 'redocly.yaml'), file]
      await expect(run(process.execPath, lint, { env })).resolves.toBeDefined()
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('the OpenAPI schema of each resource compiles in the strict mode of ajv and accepts the example of the resource', () => {
    for (const resource of resourcesOf(CONTRACT)) {
      const validate = validator(typeName(resource))
      expect(validate(exampleOf(resource)), `${resource.name}: ${JSON.stringify(validate.errors)}`).toBe(true)
    }
  })

  it('the OpenAPI document lists every endpoint, each with a GET operation only', () => {
    expect(Object.keys(document.paths)).toEqual(ENDPOINTS.map(({ path }) => path))
    for (const item of Object.values(document.paths)) expect(Object.keys(item)).toEqual(['get'])
  })

  it('[FMT-6] the OpenAPI schema of a resource requires every field and allows null only in nullable fields', () => {
    for (const resource of resourcesOf(CONTRACT)) {
      const schema = document.components.schemas[typeName(resource)]
      expect(schema?.required).toEqual(Object.keys(resource.fields))
      for (const [name, field] of Object.entries(resource.fields)) {
        const type = schema?.properties?.[name]?.type
        expect(Array.isArray(type) && type.includes('null'), `${resource.name}.${name}`).toBe(field.nullable)
      }
    }
  })

  it('[VER-2] if a store has an older schema version, the OpenAPI schema accepts its rows with null in newer fields', () => {
    for (const { id: revision } of REVISIONS) {
      for (const resource of resourcesOf(CONTRACT)) {
        const newer = Object.entries(resource.fields).filter(([, field]) => !includesRevision(revision, field.since))
        const row = { ...exampleOf(resource), ...Object.fromEntries(newer.map(([name]) => [name, null])) }
        const validate = validator(typeName(resource))
        expect(validate(row), `${resource.name} at ${revision}: ${JSON.stringify(validate.errors)}`).toBe(true)
      }
    }
  })

  it('[VER-2] each field in the OpenAPI document has x-since with its first schema version', () => {
    const notes = document.components.schemas.Order?.properties
    expect(notes?.tax_breakdown).toMatchObject({ 'x-since': 'v1.4' })
    expect(notes?.tax_breakdown?.description).toContain('null on stores older than v1.4')
    for (const resource of resourcesOf(CONTRACT)) {
      for (const [name, field] of Object.entries(resource.fields)) {
        const since = document.components.schemas[typeName(resource)]?.properties?.[name]?.['x-since']
        expect(since).toBe(fieldSince(resource, field))
        expect(includesRevision(since as RevisionId, resource.since)).toBe(true)
      }
    }
  })

  it('[R33] the OpenAPI document allows an undocumented order status in a response, but not in the parameter status', () => {
    expect(validator('Order')({ ...exampleOf(order), status: 'packed' })).toBe(true)
    const status = document.paths['/api/v1/orders']?.get.parameters?.find(({ name }) => name === 'status')
    expect(status?.schema.enum).toContain('paid')
    expect(status?.schema.enum).not.toContain('packed')
  })

  it('if an order has a malformed amount, timestamp, or ID, the OpenAPI schema rejects the order', () => {
    const validate = validator('Order')
    const row = exampleOf(order)
    for (const wrong of [
      { total: 19.9 },
      { total: '19.9' },
      { total: '19.900' },
      { created_at: '2026-10-04T08:21:37Z' },
      { created_at: '2026-10-04T08:21:37.412+00:00' },
      { id: `{${String(row.id)}}` },
    ]) {
      expect(validate({ ...row, ...wrong }), JSON.stringify(wrong)).toBe(false)
    }
    expect(validate({ ...row, total: '-9007199254740993.01' })).toBe(true)
  })

  it('[GEN-6] if an order has a field that the OpenAPI schema does not list, the schema accepts the order', () => {
    expect(validator('Order')({ ...exampleOf(order), loyalty_points: 12 })).toBe(true)
  })

  it('[R19, R12] OpenAPI descriptions say that coordinates have all stored digits and that datetimes need an offset', () => {
    const location = document.components.schemas.Location?.properties
    for (const name of ['latitude', 'longitude']) expect(location?.[name]?.description).toContain('all stored digits')
    const since = document.paths['/api/v1/orders']?.get.parameters?.find(({ name }) => name === 'updated_since')
    expect(since?.description).toContain('The service rejects a datetime without an offset')
  })

  it('the OpenAPI description of updated_since mentions stores older than v1.1 for customers, but not for orders', () => {
    const descriptionAt = (path: string): string =>
      document.paths[path]?.get.parameters?.find(({ name }) => name === 'updated_since')?.description ?? ''
    expect(descriptionAt('/api/v1/customers')).toContain('Stores older than v1.1')
    expect(descriptionAt('/api/v1/orders')).not.toContain('older')
  })
})

describe('errors in the OpenAPI document', () => {
  it('[ERR-1] for each endpoint, the OpenAPI document lists every error that the endpoint can return, under the status of the error', () => {
    for (const endpoint of ENDPOINTS) {
      const responses = document.paths[endpoint.path]?.get.responses ?? {}
      for (const [code, { status }] of Object.entries(ERRORS).filter(([each]) => errorsOf(endpoint).includes(each))) {
        const response = responses[status] as { $ref?: string }
        const shared = response.$ref?.split('/').at(-1)
        const text = JSON.stringify(shared === undefined ? response : document.components.responses[shared])
        expect(text, `${endpoint.id} ${code}`).toContain(`"value":{"error":{"code":"${code}","message":"`)
      }
    }
  })

  it("[ERR-1] the OpenAPI examples of 400 responses for orders show the service's error messages for limit and status", () => {
    const responses = JSON.stringify(document.paths['/api/v1/orders']?.get.responses[400])
    expect(responses).toContain('limit: must be a whole number from 1 to 250; got')
    expect(responses).toContain('status: must be one of pending, paid')
  })

  it('[ERR-1] if an error response has an undocumented code or no message, the OpenAPI schema rejects the response', () => {
    const validate = validator('ErrorResponse')
    expect(validate({ error: { code: 'NOT_FOUND', message: 'No such order.' } })).toBe(true)
    expect(validate({ error: { code: 'TEAPOT', message: 'No.' } })).toBe(false)
    expect(validate({ error: { code: 'NOT_FOUND' } })).toBe(false)
  })

  it('[ERR-2, R41] the OpenAPI responses for 409, 429, and 502 declare the header Retry-After', () => {
    for (const name of ['RateLimitedResponse', 'StoreNotReadyResponse', 'StoreDbErrorResponse'])
      expect(document.components.responses[name]).toMatchObject({ headers: { 'retry-after': {} } })
  })

  it('because Error is a JavaScript global, the OpenAPI schema of an error is named ErrorDetail', () => {
    expect(document.components.schemas.ErrorResponse?.properties?.error).toEqual({
      $ref: '#/components/schemas/ErrorDetail',
    })
    expect(Object.keys(document.components.schemas)).not.toContain('Error')
  })

  it('no OpenAPI schema is named like a JavaScript global, so that generated code does not hide the global', () => {
    const names = Object.keys(document.components.schemas)
    expect(names.filter((name) => name in globalThis)).toEqual([])
  })

  it('the OpenAPI schema of error codes gives generators names in Pascal case, such as InvalidApiKey', () => {
    expect(document.components.schemas.ErrorCode).toMatchObject({
      enum: Object.keys(ERRORS),
      'x-enum-varnames': expect.arrayContaining(['InvalidApiKey', 'StoreDbError']),
    })
  })
})

describe('stored JSON in the OpenAPI document', () => {
  it('[RES-ORDER] if a field in an element of tax_breakdown is missing, null, or of the wrong type, the OpenAPI schema rejects the order', () => {
    const validate = validator('Order')
    const row = exampleOf(order)
    const share = { rate: 19, baseCents: 100, taxCents: 19 }
    expect(validate({ ...row, tax_breakdown: [share] })).toBe(true)
    for (const wrong of [{ rate: 19 }, { ...share, taxCents: null }, { ...share, baseCents: '100' }])
      expect(validate({ ...row, tax_breakdown: [wrong] }), JSON.stringify(wrong)).toBe(false)
  })

  it('if the value of a metafield is a string, number, boolean, null, array, or object, the OpenAPI schema accepts the order', () => {
    const validate = validator('Order')
    for (const value of ['a', 1, true, null, [1], { a: { b: 1 } }])
      expect(validate({ ...exampleOf(order), metafields: [{ key: 'k', label: 'l', value }] })).toBe(true)
  })

  it('in the OpenAPI schemas, neither additionalProperties nor a property called value is the empty schema {}', () => {
    const text = JSON.stringify(document.components.schemas)
    expect(text).not.toMatch(/"(additionalProperties|value)":\{\}/)
  })
})
