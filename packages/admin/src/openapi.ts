// Derives the OpenAPI document of the admin API from the routes.

import * as z from 'zod'
import { BATCH_LINES_MAX, type Batch } from './batch.ts'
import { PROBLEM_TYPE, PROBLEMS, type ProblemName } from './problems.ts'
import type { Route } from './route.ts'
import { BATCHES, ROUTES } from './routes.ts'
import { problem } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

/** Problems that every route can have. */
const COMMON_PROBLEMS: readonly ProblemName[] = [
  'invalid-request',
  'unauthorized',
  'internal-error',
  'database-unreachable',
]
/** Problems of a request with a body. */
const BODY_PROBLEMS: readonly ProblemName[] = ['body-too-large', 'unsupported-media-type']
/** Problems of a request with an Idempotency-Key. */
const IDEMPOTENCY_PROBLEMS: readonly ProblemName[] = [
  'request-running',
  'response-unreadable',
  'idempotency-key-reused',
]

/** Returns the OpenAPI 3.1 document. */
export function adminOpenApi(): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of ROUTES) paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) }
  for (const batch of BATCHES) paths[batch.path] = { post: batchOperation(batch) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Store data export: admin API',
      version: '1',
      description: 'Creates stores, keys, and members for the backend of a platform.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:9091', description: 'A node. STORE_EXPORT_ADMIN_PORT sets the port.' }],
    security: [{ adminToken: [] }],
    paths,
    components: {
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'A token of `store-export admin-tokens create`.' },
      },
      schemas: componentSchemas(),
    },
  }
}

function operationOf(route: Route): Json {
  const body = unwrapped(route.body)
  // Every schema of a body is registered with an ID. Only `noBody` has none, so a missing ID means that there is no
  // body.
  const hasBody = idOf(body) !== null
  // A body is optional if its schema accepts a missing one.
  const required = !route.body.safeParse(undefined).success
  const problems = [
    ...COMMON_PROBLEMS,
    ...route.problems,
    ...(hasBody ? BODY_PROBLEMS : []),
    ...(route.method === 'post' ? IDEMPOTENCY_PROBLEMS : []),
  ]
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(route.method === 'post' ? [IDEMPOTENCY_PARAMETER] : []),
    ],
    ...(hasBody ? { requestBody: { required, content: { 'application/json': { schema: refTo(body) } } } } : {}),
    responses: { ...successes(route.responses), ...problemResponses(problems) },
  }
}

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'For 24 hours, a second equal request with this key returns the response of the first.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function batchOperation({ id, summary, line, result }: Batch): Json {
  const ndjson = (schema: Json) => ({ 'application/x-ndjson': { schema } })
  return {
    operationId: id,
    summary,
    description: `The body has one JSON object for each store, each on a line, at most ${BATCH_LINES_MAX} lines and 4 MB. The response has one line for each line, in the same order. A failed line does not stop the others.`,
    parameters: [IDEMPOTENCY_PARAMETER],
    requestBody: { required: true, content: ndjson(refTo(line)) },
    responses: {
      200: { description: 'A result for each line.', content: ndjson(refTo(result)) },
      ...problemResponses([...COMMON_PROBLEMS, ...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS]),
    },
  }
}

function successes(responses: Route['responses']): Json {
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const description = z.globalRegistry.get(schema)?.description ?? ''
      return [status, { description, content: { 'application/json': { schema: refTo(schema) } } }]
    }),
  )
}

function problemResponses(names: readonly ProblemName[]): Json {
  const byStatus = Map.groupBy(names, (name) => PROBLEMS[name].status)
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: all.map((name) => `\`${name}\``).join(', '),
        content: { [PROBLEM_TYPE]: { schema: refTo(problem) } },
      },
    ]),
  )
}

function parametersOf(schema: z.ZodObject, place: 'path' | 'query'): Json[] {
  return Object.entries(schema.shape).map(([name, parameter]) => {
    const { $schema, description, ...rest } = z.toJSONSchema(parameter, { io: 'input', unrepresentable: 'any' })
    // The schema of a cursor is a transformation, so its JSON schema has no type.
    const type = 'type' in rest ? rest : { type: 'string', ...rest }
    const required = place === 'path'
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: type }
  })
}

/**
 * Returns the named schemas. Those of requests are in input form, in which properties with a default are optional.
 * Those of responses are in output form, in which they are required. A schema of both is in output form.
 */
function componentSchemas(): Json {
  const requests = [...ROUTES.map(({ body }) => unwrapped(body)), ...BATCHES.map(({ line }) => line)]
  const responses = [
    ...ROUTES.flatMap((route) => Object.values(route.responses)),
    ...BATCHES.map(({ result }) => result),
  ]
  return { ...jsonSchemas(requests, 'input'), ...jsonSchemas([...responses, problem], 'output') }
}

function jsonSchemas(schemas: readonly z.ZodType[], io: 'input' | 'output'): Json {
  const named = z.registry<{ id: string }>()
  for (const schema of new Set(schemas.flatMap(withParts))) {
    const id = idOf(schema)
    if (id !== null) named.add(schema, { id })
  }
  const { schemas: found } = z.toJSONSchema(named, { io, uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(Object.entries(found).map(([id, { $schema, $id, id: _, ...schema }]) => [id, schema]))
}

/**
 * Returns the schema, then the schemas of its properties at any depth, with or without a name. Doesn't look into unions
 * and records.
 */
function withParts(schema: z.ZodType): z.ZodType[] {
  const parts = schema instanceof z.ZodObject ? Object.values(schema.shape) : []
  return [schema, ...parts.flatMap((part) => withParts(unwrapped(part as z.ZodType)))]
}

/** Returns the schema inside of arrays, defaults, and optional or nullable schemas, however deep they are nested. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodArray) return unwrapped(schema.element as z.ZodType)
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  )
    return unwrapped(schema.unwrap() as z.ZodType)
  return schema
}

/** Returns the name of a schema in the document; null if it has none. */
function idOf(schema: z.ZodType): string | null {
  return z.globalRegistry.get(schema)?.id ?? null
}

/** Returns a reference to a schema, which must have a name. */
function refTo(schema: z.ZodType): Json {
  return { $ref: `#/components/schemas/${idOf(schema)}` }
}
