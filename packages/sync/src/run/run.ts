// One run: every table is walked, what changed or all of it, and the copy's state moves table by table, each only when
// its walk has come to its end. A run that is ended in the middle is made up for by the next one.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import { type Copy, CopyProblem, type TableState } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { listOf, type Since } from './lists.ts'

/** What a run needs. */
export interface RunOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Walks everything again, and removes what the store no longer has. */
  readonly isFull?: boolean
  /** How far back a run asks beyond what it has, for writes that became visible late; 5 minutes unless said. */
  readonly overlapMs?: number
  /** How often a list is walked whole whose updates the store does not track; a day unless said. */
  readonly wholeEveryMs?: number
  /** Hears of each page and each table. */
  readonly observe?: (progress: Progress) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly signal?: AbortSignal
}

/** How far a run is. */
export type Progress =
  | { readonly event: 'page'; readonly table: string; readonly rows: number }
  | {
      readonly event: 'table'
      readonly table: string
      readonly mode: Mode
      readonly rows: number
      readonly removed: number
    }

/** What was asked of a list: all of it, what was updated, or what was created. */
export type Mode = 'whole' | 'updated' | 'created'

/** What a run did. */
export interface RunSummary {
  readonly storeId: string
  readonly tables: readonly {
    readonly table: string
    readonly mode: Mode
    readonly rows: number
    readonly removed: number
  }[]
}

const OVERLAP_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** Runs once. Throws what the client throws, `CopyBusy`, or `CopyProblem` where the copy is another store's. */
export async function run(options: RunOptions): Promise<RunSummary> {
  const { client, copy, signal } = options
  const state = await copy.open(TABLES)
  try {
    const store = await client.store.get(signal === undefined ? {} : { signal })
    if (state.storeId !== null && state.storeId !== store.id)
      throw new CopyProblem(
        `${copy.name} is a copy of the store ${state.storeId}, and the key is of ${store.id}: give another destination`,
      )
    if (state.storeId === null) await copy.claim(store.id)
    const tables: RunSummary['tables'][number][] = []
    for (const table of TABLES) {
      const known = state.tables.get(table.name) ?? { since: null, wholeAt: null }
      tables.push(await walkTable(options, table, known))
    }
    await copy.finish()
    return { storeId: store.id, tables }
  } finally {
    await copy.close()
  }
}

async function walkTable(
  options: RunOptions,
  table: CopyTable,
  known: TableState,
): Promise<RunSummary['tables'][number]> {
  const { observe } = options
  const mode = modeOf(options, table, known)
  const walked = await walkSo(options, { table, mode, known })
  const summary = { table: table.name, ...walked }
  observe?.({ event: 'table', ...summary })
  // what was created says nothing of what was changed or deleted since the last whole walk
  const isOverdue = walked.mode === 'created' && isWholeDue(options, known)
  return isOverdue ? walkTable({ ...options, isFull: true }, table, known) : summary
}

/** A store that does not track updates says so with a 400: then what was created is asked for. */
async function walkSo(options: RunOptions, walk: Walking): Promise<{ mode: Mode; rows: number; removed: number }> {
  try {
    return await walkOnce(options, walk)
  } catch (error) {
    const isUntracked = error instanceof StoreExportError && error.code === 'INVALID_PARAM'
    const canAskCreated = walk.table.list?.parameters.includes('created_since') === true
    if (walk.mode !== 'updated' || !isUntracked || !canAskCreated) throw error
    return walkOnce(options, { ...walk, mode: 'created' })
  }
}

interface Walking {
  readonly table: CopyTable
  readonly mode: Mode
  readonly known: TableState
}

async function walkOnce(options: RunOptions, { table, mode, known }: Walking) {
  const { client, copy, observe, signal, now = Date.now } = options
  const startedAt = new Date(now()).toISOString()
  let rows = 0
  let watermark: string | null = null
  for await (const page of listOf(client, table, {
    ...sinceOf(options, mode, known),
    ...(signal === undefined ? {} : { signal }),
  })) {
    signal?.throwIfAborted()
    await copy.write({ table, rows: page.rows, isWhole: mode === 'whole' })
    rows += page.rows.length
    // of the first page: what was written since the walk began is asked for again
    watermark ??= instantOf(page.watermark)
    observe?.({ event: 'page', table: table.name, rows })
  }
  // what was created says nothing of what was updated: from there a later run, which can ask for updates, goes on
  const since = mode === 'created' ? known.since : (watermark ?? startedAt)
  const state = { since, wholeAt: mode === 'whole' ? startedAt : known.wholeAt }
  return { mode, rows, removed: await copy.end({ table, state, isWhole: mode === 'whole' }) }
}

/** A watermark that is no instant would keep every later run from asking. */
function instantOf(text: string | null): string | null {
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

function modeOf({ isFull }: RunOptions, { list }: CopyTable, { since }: TableState): Mode {
  const canAsk = list?.parameters.includes('updated_since') === true
  return isFull === true || since === null || !canAsk ? 'whole' : 'updated'
}

function isWholeDue({ wholeEveryMs = DAY_MS, now = Date.now }: RunOptions, { wholeAt }: TableState): boolean {
  return wholeAt === null || now() - Date.parse(wholeAt) >= wholeEveryMs
}

function sinceOf({ overlapMs = OVERLAP_MS }: RunOptions, mode: Mode, { since }: TableState): Since {
  if (mode === 'whole' || since === null) return {}
  const from = new Date(Date.parse(since) - overlapMs)
  return mode === 'updated' ? { updatedSince: from } : { createdSince: from }
}
