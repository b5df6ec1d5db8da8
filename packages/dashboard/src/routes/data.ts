// Data: what an integrator will receive, page by page, row by row, and as a file.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isUuid } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import type { Context } from 'hono'
import { openCsv } from '../data/csv.ts'
import { findFile } from '../data/csv-files.ts'
import { makeDataPage } from '../data/data-page.ts'
import { makeDataRowPage } from '../data/data-row-page.ts'
import { findList, LISTS } from '../data/lists.ts'
import { openRow } from '../data/row-file.ts'
import { UNREADABLE } from '../data/sentences.ts'
import { addressOf } from '../data/store-rows.ts'
import { storeAddresses } from '../look/addresses.ts'
import { dataRowView } from '../pages/data-row-view.ts'
import { dataView } from '../pages/data-view.ts'
import { problemView } from '../pages/problem-view.ts'
import { securityHeaders } from '../security/headers.ts'
import { missing } from './problems.ts'
import { dataStoreOf } from './stores.ts'
import { type Answer, frameOf, type PageAnswer, type StoreVisit } from './visit.ts'

/** GET /stores/{s}/data */
export function toFirstList({ store }: StoreVisit): Answer {
  return { to: storeAddresses(store.id).data(LISTS[0]?.list ?? '') }
}

/** GET /stores/{s}/data/{list} */
export async function dataPage(visit: StoreVisit): Promise<Answer> {
  const { req } = visit.context
  const list = req.param('list') ?? ''
  const order = req.query('order') === 'oldest' ? 'oldest' : 'newest'
  const query = { list, order, cursor: req.query('cursor') ?? null, text: req.query('find') ?? null } as const
  const page = await makeDataPage(dataStoreOf(visit), query)
  if (page === null) return missing(visit)
  return { html: dataView(frameOf(visit, { title: 'Data', section: 'data' }), page) }
}

/** GET /stores/{s}/data/{list}/{row} */
export async function dataRowPage(visit: StoreVisit): Promise<Answer> {
  const { req } = visit.context
  const list = req.param('list') ?? ''
  const outcome = await makeDataRowPage(dataStoreOf(visit), { list, id: req.param('row') ?? '' })
  if (outcome.kind === 'missing') return missing(visit)
  if (outcome.kind === 'problem') return unreadable(visit, list, outcome.text)
  return { html: dataRowView(frameOf(visit, { title: outcome.page.label, section: 'data' }), outcome.page) }
}

/** GET /stores/{s}/data/{file}.csv */
export async function dataFile(visit: StoreVisit): Promise<Answer> {
  const { parts, store, now } = visit
  const file = findFile((visit.context.req.param('file') ?? '').replace(/\.csv$/, ''))
  const address = addressOf(store)
  if (file === null) return missing(visit)
  const { name, list } = file
  // the page of the list says why there are no rows
  if (address === null) return { to: storeAddresses(store.id).data(list) }
  const type = 'text/csv; charset=utf-8'
  return download(visit, { list, type, name: `${name}-${now.toISOString().slice(0, 10)}.csv` }, (signal) => {
    const source = { reader: parts.reader, turns: parts.turns, address, requestId: visit.requestId }
    return openCsv({ source, file, now: () => performance.now(), signal })
  })
}

/** GET /stores/{s}/data/{list}/{row}.json */
export async function dataRowFile(visit: StoreVisit): Promise<Answer> {
  const { req } = visit.context
  const declaration = findList(req.param('list') ?? '')
  const id = (req.param('file') ?? '').replace(/\.json$/, '')
  const { source } = dataStoreOf(visit)
  if (declaration === null || !isUuid(id)) return missing(visit)
  const { list, resource } = declaration
  if (source === null) return { to: storeAddresses(visit.store.id).data(list) }
  const options = { list, type: 'application/json', name: `${list}-${id}.json` }
  return download(visit, options, () => openRow(source, { resource, id }))
}

interface DownloadOptions {
  readonly list: string
  readonly type: string
  readonly name: string
}

async function download(
  visit: StoreVisit,
  { list, type, name }: DownloadOptions,
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | null>,
): Promise<Answer> {
  const { parts, session, context } = visit
  const headers = {
    'cache-control': 'no-store',
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
  }
  if (context.req.method === 'HEAD') return new Response(null, { headers })
  const end = parts.downloads.begin(session.merchantId)
  if (end === null) return { ...unreadable(visit, list, BUSY), status: 429 }
  const { env } = context as Context<{ Bindings: HttpBindings }>
  const gone = new AbortController()
  env.outgoing.once('close', () => gone.abort())
  try {
    const content = await open(gone.signal)
    if (content === null) return missing(visit)
    env.outgoing.writeHead(200, { ...securityHeaders(parts.origins.isSecure), ...headers })
    // A fault in the middle cuts the connection: a browser then shows a download that failed, never a short file.
    await pipeline(Readable.fromWeb(content as NodeReadableStream), env.outgoing).catch((cause: unknown) => {
      // the engine reports errors of a store, and a client that disconnects is no error
      if (gone.signal.aborted || cause instanceof StoreDatabaseError) return
      parts.emit({ event: 'page.failed', requestId: visit.requestId, cause })
    })
    return RESPONSE_ALREADY_SENT
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return unreadable(visit, list, UNREADABLE)
  } finally {
    end()
  }
}

const BUSY = 'Enough downloads are under way just now. Wait until one of them has ended, and try again.'

function unreadable(visit: StoreVisit, list: string, text: string): PageAnswer {
  const next = { label: 'Back to the list', href: storeAddresses(visit.store.id).data(list) }
  const frame = frameOf(visit, { title: 'Data', section: 'data' })
  return { status: 503, html: problemView(frame, { heading: 'The rows cannot be shown now', text, next }) }
}
