// Handles the requests to the admin API, in these steps:
//
// 1. Find the token. Without a valid one, the response says nothing about paths. Only `/openapi.json` needs no token.
// 2. Read the body, and validate all parts of the request.
// 3. With an Idempotency-Key, return the stored response of an earlier request.
// 4. Run the handler, and store the response.
//
// Each request emits an event, also a rejected one. A request that failed with 5xx isn't stored, so a repetition runs
// it again.

import { randomUUID } from 'node:crypto'
import { adminActor, findAdminToken, type RegistryContext, requireServiceSecret } from '@store-export/control'
import { type Context, Hono } from 'hono'
import { type Batch, type BatchResult, linesOf, runBatch } from './batch.ts'
import { type Finish, onceForKey } from './idempotent.ts'
import { adminOpenApi } from './openapi.ts'
import { PROBLEM_TYPE, Problem } from './problems.ts'
import { readBody, requireMediaType } from './read-body.ts'
import type { RequestContext, Route } from './route.ts'
import { BATCHES, ROUTES } from './routes.ts'
import type { AdminServices } from './services.ts'
import { translateError } from './translate-error.ts'
import { validate } from './validate.ts'

const JSON_TYPE = 'application/json'
const NDJSON_TYPE = 'application/x-ndjson'
const BODY_BYTES_MAX = 1_000_000
const BATCH_BYTES_MAX = 4_000_000

/** What the steps of a request share. */
interface Environment {
  Variables: { requestId: string; route: string; token: { readonly id: string; readonly name: string } | null }
}

/** Returns the Hono app of the admin API. */
export function createAdminApp(services: AdminServices): Hono<Environment> {
  const app = new Hono<Environment>()
  const problemOf = (error: unknown) => translateError(error, services.operations)
  app.use('*', async (context, next) => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    context.set('requestId', requestId)
    context.set('route', 'unknown')
    context.set('token', null)
    await next()
    context.res.headers.set('x-request-id', requestId)
    context.res.headers.set('cache-control', 'no-store')
    const { method } = context.req
    const durationMs = Math.round(performance.now() - startedAt)
    const facts = { route: context.get('route'), status: context.res.status, tokenId: context.get('token')?.id ?? null }
    services.emit({ event: 'admin.request_completed', requestId, method, ...facts, durationMs })
  })
  app.get('/openapi.json', (context) => {
    context.set('route', '/openapi.json')
    return context.json(adminOpenApi())
  })
  app.use('*', async (context, next) => {
    context.set('token', await authenticate(services, context.req.header('authorization')))
    await next()
  })
  for (const batch of BATCHES) app.post(batch.path, (context) => handleBatch(services, batch, context))
  for (const route of ROUTES)
    app.on(route.method.toUpperCase(), honoPath(route.path), (context) => handle(services, route, context))
  for (const [path, methods] of methodsByPath())
    app.all(honoPath(path), (context) => {
      context.set('route', path)
      const detail = `the path accepts ${methods.join(', ')}; got ${context.req.method}`
      return problemResponse(new Problem('method-not-allowed', detail, { headers: { allow: methods.join(', ') } }))
    })
  app.notFound(() => problemResponse(new Problem('not-found', 'no route has this path; /openapi.json lists the paths')))
  app.onError((error, context) => {
    const problem = problemOf(error)
    if (problem.problem === 'internal-error') emitFailure(services, context, problem.cause)
    return problemResponse(problem)
  })
  return app
}

async function authenticate({ registry }: AdminServices, header: string | undefined) {
  const [, text] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? []
  const token = text === undefined ? null : await findAdminToken(registry.database, text)
  if (token !== null) return token
  const detail = text === undefined ? 'the header Authorization: Bearer is missing' : 'the token is not valid'
  throw new Problem('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } })
}

async function handle(services: AdminServices, route: Route, context: Context<Environment>): Promise<Response> {
  context.set('route', route.path)
  const bytes = await readBody(context.req.raw, BODY_BYTES_MAX)
  if (bytes.length > 0) requireMediaType(context.req.raw, JSON_TYPE)
  const body = bytes.length === 0 ? null : bytes
  const valid = validate(route, { params: context.req.param(), query: queryOf(context), body })
  const registry = registryOf(services, context)
  return once(context, { registry, bytes }, async (finish) => {
    const result = await route.handle({ services, context: registry, ...valid }).catch((error: unknown) => {
      const problem = translateError(error, services.operations)
      if (problem.problem === 'internal-error') emitFailure(services, context, problem.cause)
      return problem
    })
    if (result instanceof Problem) {
      const { status, document } = result
      await finish(status >= 500 ? null : { status, contentType: PROBLEM_TYPE, body: JSON.stringify(document) })
      return problemResponse(result)
    }
    const { status } = result
    const text = JSON.stringify(result.body)
    await finish({ status, contentType: JSON_TYPE, body: text })
    return new Response(text, { status, headers: { 'content-type': JSON_TYPE } })
  })
}

async function handleBatch(services: AdminServices, batch: Batch, context: Context<Environment>): Promise<Response> {
  context.set('route', batch.path)
  requireMediaType(context.req.raw, NDJSON_TYPE)
  const bytes = await readBody(context.req.raw, BATCH_BYTES_MAX)
  const lines = linesOf(bytes)
  const registry = registryOf(services, context)
  return once(context, { registry, bytes }, async (finish) => {
    const onError = (cause: unknown) => emitFailure(services, context, cause)
    const results = runBatch(batch, lines, { services, context: registry, onError })
    const { background } = services
    return new Response(streamOf(results, { finish, onError, background }), {
      headers: { 'content-type': NDJSON_TYPE },
    })
  })
}

interface StreamOptions extends Pick<AdminServices, 'background'> {
  readonly finish: Finish
  readonly onError: (cause: unknown) => void
}

/**
 * Returns the results as lines. The batch also completes if the client closes the connection, so that a repetition with
 * the same Idempotency-Key gets every result. It has a limited number of lines, so the lines need no backpressure.
 */
function streamOf(
  results: AsyncGenerator<BatchResult>,
  { finish, onError, background }: StreamOptions,
): ReadableStream<Uint8Array> {
  let isOpen = true
  const encoder = new TextEncoder()
  const run = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    let [text, failed] = ['', false]
    for await (const result of results) {
      const line = `${JSON.stringify(result)}\n`
      text += line
      failed ||= result.status >= 500
      if (isOpen) controller.enqueue(encoder.encode(line))
    }
    await finish(failed ? null : { status: 200, contentType: NDJSON_TYPE, body: text })
    if (isOpen) controller.close()
  }
  return new ReadableStream({
    start(controller) {
      background.add(
        run(controller).catch((cause: unknown) => {
          onError(cause)
          if (isOpen) controller.error(cause)
        }),
      )
    },
    cancel() {
      isOpen = false
    },
  })
}

/**
 * Runs a POST with an Idempotency-Key once. Ignores the header for other methods, because their repetition changes
 * nothing more.
 */
function once(
  context: Context<Environment>,
  { registry, bytes }: { readonly registry: RegistryContext; readonly bytes: Uint8Array },
  run: (finish: Finish) => Promise<Response>,
): Promise<Response> {
  const { method, url } = context.req
  const { pathname, search } = new URL(url)
  const key = method === 'POST' ? (context.req.header('idempotency-key') ?? null) : null
  const facts = { tokenId: tokenOf(context).id, method, path: pathname + search, key, body: bytes }
  return onceForKey(registry, facts, run)
}

/** Returns the control database for a request. The token is the actor of its changes. */
function registryOf({ registry }: AdminServices, context: Context<Environment>): RequestContext {
  let checked: Promise<void> | null = null
  const requireSecret = () => {
    checked ??= requireServiceSecret(registry.database, registry.keys)
    return checked
  }
  return { ...registry, actor: adminActor(tokenOf(context)), requireSecret }
}

function tokenOf(context: Context<Environment>) {
  const token = context.get('token')
  if (token === null) throw new Error('a route ran without a token')
  return token
}

/** Returns the query. The values of a repeated parameter are joined, and the result is invalid or matches no store. */
function queryOf(context: Context<Environment>): Record<string, string> {
  const values = Object.entries(context.req.queries())
  return Object.fromEntries(values.map(([name, all]) => [name, all.join(', ')]))
}

function emitFailure({ emit }: AdminServices, context: Context<Environment>, cause: unknown): void {
  emit({ event: 'admin.request_failed', requestId: context.get('requestId'), cause })
}

function problemResponse({ status, document, headers }: Problem): Response {
  return new Response(JSON.stringify(document), { status, headers: { ...headers, 'content-type': PROBLEM_TYPE } })
}

/** Returns the path with its parameters as Hono writes them, such as `/v1/stores/:store`. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>([['/openapi.json', ['GET']]])
  for (const { path, method } of ROUTES) methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()])
  return methods
}
