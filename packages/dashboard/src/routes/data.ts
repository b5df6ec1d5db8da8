// Handles requests for the Data pages: lists, single rows, and downloads.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isUuid } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import type { Context } from 'hono'
import { csvDialectOf } from '../data/csv-dialect.ts'
import { findCsvFile } from '../data/csv-files.ts'
import { makeDataPage } from '../data/data-page.ts'
import { makeDataRowPage } from '../data/data-row-page.ts'
import { findList, LISTS } from '../data/lists.ts'
import { openCsv } from '../data/open-csv.ts'
import { openRowJson } from '../data/open-row-json.ts'
import { addressOf } from '../data/store-rows.ts'
import { dataRowView } from '../pages/data-row-view.ts'
import { dataView } from '../pages/data-view.ts'
import { errorView } from '../pages/error-view.ts'
import { securityHeaders } from '../security/security-headers.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type PageResult, type StoreRequest } from './dashboard-request.ts'
import { downloadStarted } from './download-started.ts'
import { notFoundPage } from './error-pages.ts'
import { dataStoreOf } from './stores.ts'

/** GET /stores/{s}/data: redirects to the first list. */
export function toFirstList({ store }: StoreRequest): HandlerResult {
  return { to: storePaths(store.id).data(LISTS[0]?.list ?? '') }
}

/**
 * GET /stores/{s}/data/{list}?order=oldest&cursor={c}&find={text}: shows a page of a list. Parameters are optional. The
 * response to an unknown list is the 404 page.
 */
export async function dataPage(request: StoreRequest): Promise<HandlerResult> {
  const { req } = request.context
  const list = req.param('list') ?? ''
  const order = req.query('order') === 'oldest' ? 'oldest' : 'newest'
  const query = { list, order, cursor: req.query('cursor') ?? null, text: req.query('find') ?? null } as const
  const page = await makeDataPage(dataStoreOf(request), query)
  if (page === null) return notFoundPage(request)
  return { html: dataView(frameOf(request, { title: request.texts.data.title, section: 'data' }), page) }
}

/** GET /stores/{s}/data/{list}/{row}: shows one row, or an error page with status 503 if the store can't be read. */
export async function dataRowPage(request: StoreRequest): Promise<HandlerResult> {
  const { req } = request.context
  const list = req.param('list') ?? ''
  const outcome = await makeDataRowPage(dataStoreOf(request), { list, id: req.param('row') ?? '' })
  if (outcome.kind === 'missing') return notFoundPage(request)
  if (outcome.kind === 'problem') return unreadablePage(request, list, outcome.text)
  const title = request.texts.contract.name(outcome.page.label)
  return { html: dataRowView(frameOf(request, { title, section: 'data' }), outcome.page) }
}

/**
 * GET /stores/{s}/data/{file}.csv: streams a whole list, or all rows that are embedded in it. Redirects to the list if
 * the store has no data.
 */
export async function csvDownload(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, now } = request
  const file = findCsvFile((request.context.req.param('file') ?? '').replace(/\.csv$/, ''))
  const address = addressOf(store)
  if (file === null) return notFoundPage(request)
  const { name, list } = file
  // The page of the list says why it has no rows.
  if (address === null) return { to: storePaths(store.id).data(list) }
  const type = 'text/csv; charset=utf-8'
  return download(request, { list, type, name: `${name}-${now.toISOString().slice(0, 10)}.csv` }, (signal) => {
    const source = { reader: services.reader, timeSlicer: services.timeSlicer, address, requestId: request.requestId }
    return openCsv({ source, file, dialect: csvDialectOf(request), now: () => performance.now(), signal })
  })
}

/**
 * GET /stores/{s}/data/{list}/{row}.json: streams one row as the API sends it. Redirects to the list if the store has
 * no data.
 */
export async function rowDownload(request: StoreRequest): Promise<HandlerResult> {
  const { req } = request.context
  const declaration = findList(req.param('list') ?? '')
  const id = (req.param('file') ?? '').replace(/\.json$/, '')
  const { source } = dataStoreOf(request)
  if (declaration === null || !isUuid(id)) return notFoundPage(request)
  const { list, resource } = declaration
  if (source === null) return { to: storePaths(request.store.id).data(list) }
  const options = { list, type: 'application/json', name: `${list}-${id}.json` }
  return download(request, options, () => openRowJson(source, { resource, id }))
}

interface DownloadOptions {
  readonly list: string
  readonly type: string
  readonly name: string
}

/**
 * Streams the content that `open` returns, and resolves after its end. Before the first byte, an error becomes an error
 * page: 404 if `open` returns null, 429 if `DownloadLimiter` allows no other download, and 503 if the store can't be
 * read. HEAD gets only the headers.
 */
async function download(
  request: StoreRequest,
  { list, type, name }: DownloadOptions,
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | null>,
): Promise<HandlerResult> {
  const { services, session, context } = request
  const headers = {
    'cache-control': 'no-store',
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    ...downloadStarted(request),
  }
  if (context.req.method === 'HEAD') return new Response(null, { headers })
  const release = services.downloads.acquire(session.merchantId)
  if (release === null)
    return { ...unreadablePage(request, list, request.texts.data.problems.tooManyDownloads), status: 429 }
  const { env } = context as Context<{ Bindings: HttpBindings }>
  const clientLeft = new AbortController()
  env.outgoing.once('close', () => clientLeft.abort())
  try {
    const content = await open(clientLeft.signal)
    if (content === null) return notFoundPage(request)
    env.outgoing.writeHead(200, { ...securityHeaders(services.origins), ...headers })
    // A later error closes the connection, so that the browser reports a failed download instead of a short file.
    await pipeline(Readable.fromWeb(content as NodeReadableStream), env.outgoing).catch((cause: unknown) => {
      // The engine reports errors of the store. A client that closes its connection is not an error.
      if (clientLeft.signal.aborted || cause instanceof StoreDatabaseError) return
      services.emit({ event: 'page.failed', requestId: request.requestId, cause })
    })
    return RESPONSE_ALREADY_SENT
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return unreadablePage(request, list, request.texts.data.problems.unreadable)
  } finally {
    release()
  }
}

/** Returns the error page with status 503, a link to the list, and `text` as the reason. */
function unreadablePage(request: StoreRequest, list: string, text: string): PageResult {
  const { title, problems } = request.texts.data
  const next = { label: problems.backToList, href: storePaths(request.store.id).data(list) }
  const frame = frameOf(request, { title, section: 'data' })
  return { status: 503, html: errorView(frame, { heading: problems.unreadableHeading, text, next }) }
}
