// Handles a request in the order of R6 in docs/spec/readings.md, so that a client without a valid key learns nothing
// about stores and paths:
//
// - 401 for an invalid key. 502 if the key can't be checked. 429 for a key that is above its rate limit.
// - 403 for a store that the service does not export. 409 for a store that is not ready.
// - 404 for an unknown path. 405 for a method other than GET and HEAD. 404 for a resource outside of the key's scopes.
//   400 for an invalid ID, parameter, or cursor.
// - Then the service reads the rows. 429 or 502 if the response buffer has no space (buffered-response.ts). 400 if the
//   store lacks the column of a filter. 404 if the row of a path does not exist. 502 if the store can't be read.

import type { KeyObject } from 'node:crypto'
import {
  ApiError,
  type Endpoint,
  formatTimestamp,
  type Resource,
  readResource,
  scopeOf,
  withoutPersonalData,
} from '@store-export/contract'
import {
  type Admission,
  type HashedKey,
  hashApiKey,
  type PlainKey,
  type PresentedKey,
  type WalkStep,
} from '@store-export/control'
import {
  type FirstPage,
  type PageWriter,
  type Plan,
  pseudonymSecret,
  type ReadRequest,
  type StoreAddress,
  type StoreReader,
} from '@store-export/engine'
import { type ApiRequest, readKey } from './api-request.ts'
import { type ApiResponse, listResponse, OPENING, objectResponse } from './api-response.ts'
import { type CursorContent, openCursor, sealCursor } from './cursor.ts'
import { pageLinks } from './links.ts'
import { planRequest } from './plan-request.ts'
import { ignoredHeader, ignoredNames, readParameters } from './query-parameters.ts'
import { type ReadContext, timed, withCalls } from './record-calls.ts'
import type { KeyRejected } from './request-event.ts'
import type { DatabaseCall } from './request-telemetry.ts'
import { type Router, readId, requireRoute } from './router.ts'
import { windowBounds } from './window.ts'

/** What the pipeline needs besides the request. A server has one for all requests. */
export interface Pipeline {
  /**
   * Checks a key and counts the request. Resolves to null if the key does not work. Rejects with
   * `ControlDatabaseError`.
   */
  readonly admit: (key: PresentedKey) => Promise<Admission | null>
  readonly reader: Pick<StoreReader, 'read' | 'readFirst' | 'exists'>
  readonly router: Router
  /** Seals cursors. The secrets of pseudonyms are derived from it. */
  readonly secret: KeyObject
  /** Rate limit of a key, for headers and messages. `admit` enforces the limit. */
  readonly requestsPerMinute: number
}

/**
 * Facts about a request for headers, usage, and the log. Each step of the pipeline adds its facts. If a step throws,
 * the facts of later steps are missing.
 */
export interface Trace {
  /** ID of the key; null before the service has checked the key, and for an invalid key. */
  keyId: string | null
  /** ID of the key's store; null before the service has checked the key, and for an invalid key. */
  storeId: string | null
  /** Path of the endpoint as the contract writes it, or of a document; 'unknown' until a path is found. */
  endpoint: string
  /** The reason why the service rejected the key; null for other requests. */
  keyRejected: KeyRejected['reason'] | null
  /** The hash of a well-formed key that does not work; null for other requests. */
  unknownKey: HashedKey | null
  /**
   * Requests of the key in this one-minute window, including this request; 0 before the service has checked the key,
   * and for an invalid key.
   */
  minuteRequests: number
  /**
   * The page's place in its list: whether it is the first or the last page, and the filters of the list. Null for a
   * response that is not a page, a list with one page, and a first page that fails. A later page that fails is neither
   * first nor last.
   */
  walk: WalkStep | null
  /** The calls of databases; null without telemetry. */
  readonly calls: DatabaseCall[] | null
  /** Response headers to add. They replace headers of the response with the same name. */
  readonly headers: Record<string, string>
}

/**
 * Returns the response to a request, and adds its facts to `trace`. Rejects with `ApiError` for each status of the file
 * header except 502, and with `ControlDatabaseError` if the key can't be checked. Rejects like the methods of
 * `pipeline.reader`. Rejects with `Error` if the table `store` has no row.
 */
export async function handleRequest(request: ApiRequest, pipeline: Pipeline, trace: Trace): Promise<ApiResponse> {
  const route = pipeline.router.find(request.path)
  // This comes before the check of the key, so that events of rejected keys have the endpoint.
  if (route !== null) trace.endpoint = route.endpoint.path
  const key = requireKey(readKey(request), trace)
  const admission = await admit({ hash: key, address: request.clientAddress }, pipeline, trace)
  const address = openStore(admission)
  const { endpoint, rawId } = requireRoute(route, request)
  requireScope(endpoint, admission)
  setIgnoredHeader(ignoredNames(endpoint, request.query), trace)
  const id = readId(endpoint, rawId)
  const values = readParameters(endpoint, request.query)
  const scope = { storeId: admission.storeId, resource: readResource(endpoint), secret: pipeline.secret }
  const cursor = values.get('cursor')
  const cursorContent = typeof cursor === 'string' ? openCursor(cursor, scope) : null
  const plan = forKey(planRequest(endpoint, id, values, cursorContent), admission, pipeline)
  trace.walk = walkStep(plan, request)
  const context = withCalls({ address, requestId: request.requestId, startedAt: performance.now() }, plan, trace.calls)
  if (plan.kind === 'one' || plan.kind === 'only') return await readObject(plan, context, pipeline, trace)
  const { page, watermark } = await readList(
    endpoint,
    { ...context, plan, prefix: OPENING.list },
    cursorContent,
    pipeline,
  )
  setSchemaHeaders(page, trace)
  if (page.rows === 0) await requireParent(endpoint, id, context, pipeline)
  trace.walk = walkStep(plan, request, page)
  const bounds = windowBounds(values, watermark, cursorContent?.bounds)
  const parameter = syncParameter(endpoint, page.tracksUpdates)
  // A list with an end time lacks later changes, so the next sync must start at the end time.
  trace.headers['x-sync-watermark'] = formatTimestamp(
    bounds[parameter === 'created_since' ? 'created_at' : 'updated_at'] ?? watermark,
  )
  if (parameter !== null) trace.headers['x-sync-parameter'] = parameter
  if (plan.kind === 'allOf' || !page.hasMore) return listResponse(page, null)
  const nextCursor = sealCursor({ position: positionOf(page), watermark, bounds }, scope)
  trace.headers.link = pageLinks(endpoint, request.query, nextCursor)
  return listResponse(page, nextCursor)
}

function requireKey(key: PlainKey | KeyRejected['reason'], trace: Trace): HashedKey {
  if (typeof key !== 'string') return hashApiKey(key)
  trace.keyRejected = key
  throw invalidKey()
}

async function admit(key: PresentedKey, { admit, requestsPerMinute }: Pipeline, trace: Trace): Promise<Admission> {
  const admission = await timed(trace.calls, () => admit(key))
  if (admission === null) {
    trace.keyRejected = 'unknown'
    trace.unknownKey = key.hash
    throw invalidKey()
  }
  trace.keyId = admission.keyId
  trace.storeId = admission.storeId
  trace.minuteRequests = admission.requests
  const { remaining, secondsToNextMinute } = admission
  trace.headers['ratelimit-policy'] = `"minute";q=${requestsPerMinute};w=60`
  trace.headers.ratelimit = `"minute";r=${remaining};t=${secondsToNextMinute}`
  trace.headers['ratelimit-remaining'] = String(remaining)
  if (admission.withinLimit) return admission
  const wait = `wait ${secondsToNextMinute} s, as the header Retry-After says, and prefer pages of 250 rows`
  throw new ApiError(
    'RATE_LIMITED',
    `this key has made more than ${requestsPerMinute} requests in this minute; ${wait}`,
    {
      headers: { 'retry-after': String(secondsToNextMinute) },
    },
  )
}

function openStore({ origin, state, storeId, databaseUrl, schemaName, encryptedPassword }: Admission): StoreAddress {
  if (origin === 'imported')
    throw new ApiError(
      'STORE_NOT_SUPPORTED',
      'this key belongs to an imported store, which this service does not export; use the export of the platform that hosts it',
    )
  if (state === 'generating' || databaseUrl === null)
    throw new ApiError(
      'STORE_NOT_READY',
      'this store is being generated and has no database yet; wait for the number of seconds in the header Retry-After, then try again',
    )
  return { storeId, databaseUrl, schemaName, encryptedPassword }
}

/**
 * Returns the plan for this key. If the key gets no personal data, the plan reads pseudonyms and nulls in place of
 * personal values (R40 in docs/spec/readings.md).
 */
function forKey(plan: Plan, { withoutPersonalData: isReduced, storeId }: Admission, { secret }: Pipeline): Plan {
  if (!isReduced) return plan
  return { ...plan, resource: withoutPersonalData(plan.resource), pseudonymSecret: pseudonymSecret(secret, storeId) }
}

/** Throws `NOT_FOUND` if the key may not read the resource of the endpoint (R38 in docs/spec/readings.md). */
function requireScope({ resource }: Endpoint, { scopes }: Admission): void {
  const needed = scopeOf(resource)
  if (needed === null || scopes === null || scopes.includes(needed)) return
  throw new ApiError(
    'NOT_FOUND',
    `this key may not read ${resource.plural}: it has the scope ${scopes.join(' ')}; add the scope ${needed} to the key, or use another key`,
    { headers: { 'x-required-scope': needed } },
  )
}

function setIgnoredHeader(ignored: readonly string[], trace: Trace): void {
  const header = ignoredHeader(ignored)
  if (header !== null) trace.headers['x-ignored-params'] = header
}

/**
 * Sets the headers about the store's schema, if the page has a schema. Call it before the check for rows, so that a 404
 * has these headers, too.
 */
function setSchemaHeaders({ schema }: PageWriter, { headers }: Trace): void {
  if (schema === null) return
  headers['x-store-schema'] = schema.version
  headers['x-store-fields'] = schema.fieldsDigest
}

async function readObject(plan: Plan, context: ReadContext, { reader }: Pipeline, trace: Trace): Promise<ApiResponse> {
  const page = await reader.read({ ...context, plan, prefix: OPENING.object })
  setSchemaHeaders(page, trace)
  if (page.rows > 0) return objectResponse(page)
  const { kind, resource } = plan
  // The client did not send an ID, so an empty table of the store is an internal error.
  throw kind === 'only' ? new Error(`the table ${resource.table} is empty`) : notFound(resource)
}

/** Returns the parameter for the watermark in the next sync; null if each sync reads the whole list. */
function syncParameter(
  { parameters, resource }: Endpoint,
  tracksUpdates: boolean,
): 'updated_since' | 'created_since' | null {
  if (parameters.includes('updated_since') && tracksUpdates) return 'updated_since'
  // If a resource got `updated_at` after the first schema version, older stores can track only creation.
  const isUntrackedOnOlderStores = resource.fields.updated_at?.since !== 'launch'
  return parameters.includes('created_since') && isUntrackedOnOlderStores ? 'created_since' : null
}

/**
 * Reads a page of a list. On later pages, the watermark is that of the first page, and comes from the cursor. Only the
 * first page of a list with `updated_since` waits for open transactions: other lists have no sync of changes.
 */
async function readList(
  { parameters }: Endpoint,
  request: ReadRequest,
  cursorContent: CursorContent | null,
  { reader }: Pipeline,
): Promise<FirstPage> {
  if (cursorContent !== null) return { page: await reader.read(request), watermark: cursorContent.watermark }
  return await reader.readFirst({ ...request, waits: parameters.includes('updated_since') })
}

/**
 * Throws `NOT_FOUND` if the path names a parent that does not exist, such as a customer. An empty list is valid if the
 * parent exists, or if the path names none.
 */
async function requireParent(
  { response }: Endpoint,
  id: string,
  context: ReadContext,
  { reader }: Pipeline,
): Promise<void> {
  if (response.kind !== 'allOf') return
  const { parent } = response
  if (!(await reader.exists({ ...context, resource: parent, id }))) throw notFound(parent)
}

function notFound({ name }: Resource): ApiError {
  return new ApiError('NOT_FOUND', `this store has no ${name.toLowerCase()} with this ID`)
}

/**
 * Returns whether this page begins or ends its list, and the filters of the list. Returns null for a list with one
 * page, and for other plans. `page` is absent before the read. A first page then gets null, because it can be the only
 * one.
 */
function walkStep(plan: Plan, { query }: ApiRequest, page?: PageWriter): WalkStep | null {
  if (plan.kind !== 'page') return null
  const begins = plan.after === null
  if (begins && page?.hasMore !== true) return null
  const { filters: selecting, window } = plan
  const names = new Set([...selecting, ...(window ?? [])].map(({ parameter }) => parameter))
  const filters = [...names]
    .filter((name) => query.has(name))
    .map((name) => `${name}=${query.get(name)}`)
    .join('&')
  return { begins, ends: page?.hasMore === false, filters }
}

function positionOf(page: PageWriter) {
  const position = page.position()
  if (position === null) throw new Error('a page without rows has no next page')
  return position
}

/** Returns the same error for every key that does not work (R26 and R39 in docs/spec/readings.md). */
function invalidKey(): ApiError {
  const message =
    'x-api-key: must be a valid API key of the store, sent once; create one in the store dashboard under Settings, API'
  return new ApiError('INVALID_API_KEY', message, {
    headers: { 'www-authenticate': 'ApiKey realm="store data export", header="x-api-key"' },
  })
}
