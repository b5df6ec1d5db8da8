// Writes a copy as messages of the Singer specification: SCHEMA, RECORD, and STATE. A target reads them and writes its
// database. A STATE message follows each page, so a target that saves it can continue there.
//
// A target cannot delete rows, so the messages show which rows exist. Each row has the time at which it was last read.
// The stream `listed_ids` has the IDs that a run has listed, and `listed_tables` the start of the last complete listing
// of each table. A row that a complete listing did not return has been deleted.

import { exactJsonText } from '../../exact-json.ts'
import type { CopyTable } from '../../tables.ts'
import { type Copy, CopyError, type CopyState, type PageWrite, type StoredRow, type WalkEnd } from '../copy.ts'
import {
  IDS_STREAM,
  listingSchemas,
  type SingerMessage,
  SYNCED_AT,
  TABLES_STREAM,
  tableSchemas,
} from './singer-schema.ts'
import { copyStateOf, NEW_STATE, type SingerState } from './singer-state.ts'

/** The output of a Singer copy, and where it continues. */
export interface SingerCopyOptions {
  /** Writes lines of output. Resolves when the reader has taken them. */
  readonly write: (text: string) => Promise<void>
  /** State of the last run; null for the first run. */
  readonly state?: SingerState | null
  /** Returns ms since 1970; defaults to `Date.now`. */
  readonly now?: () => number
}

/** A copy that a Singer target writes. It cannot be read, so it cannot be verified. */
export class SingerCopy implements Copy {
  readonly name = 'the Singer target'
  readonly #options: SingerCopyOptions
  #state: SingerState
  /** Number of rows or IDs that the full walk of each table has returned so far. */
  readonly #listed = new Map<string, number>()

  constructor(options: SingerCopyOptions) {
    this.#options = options
    this.#state = options.state ?? NEW_STATE
  }

  async peek(): Promise<CopyState | null> {
    return copyStateOf(this.#state)
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    await this.#emit([...tables.flatMap(tableSchemas), ...listingSchemas()])
    return copyStateOf(this.#state)
  }

  async claim(storeId: string): Promise<void> {
    this.#state = { ...this.#state, store_id: storeId }
  }

  async write({ table, rows, isFull, isFirst, unfinished, seenIds = [] }: PageWrite): Promise<void> {
    const { name } = table
    this.#tick()
    // The state of the page replaces that of an unfinished walk, or removes it if a later run cannot resume the walk.
    const { unfinished: before, walk_synced_at: startedAt, ...known } = this.#state.tables[name] ?? {}
    const walkSyncedAt = isFirst ? this.#state.synced_at : (startedAt ?? this.#state.synced_at)
    const listedBefore = isFirst ? 0 : (this.#listed.get(name) ?? before?.rows ?? 0)
    if (isFull) this.#listed.set(name, listedBefore + rows.length + seenIds.length)
    this.#setTable(name, { ...known, walk_synced_at: walkSyncedAt, ...(unfinished == null ? {} : { unfinished }) })
    const ids = seenIds.map((id) => this.#record(IDS_STREAM, { table_name: name, id }))
    await this.#emit([...rows.flatMap((row) => this.#rowRecords(table, row)), ...ids, this.#stateMessage()])
  }

  async end({ table: { name }, state, isFull }: WalkEnd): Promise<number> {
    // A walk without pages has no start yet.
    const { walk_synced_at: startedAt = this.#tick(), unfinished, ...known } = this.#state.tables[name] ?? {}
    const rows = this.#listed.get(name) ?? unfinished?.rows ?? 0
    this.#setTable(name, { ...known, state, ...(isFull ? { rows } : {}) })
    const listing = this.#record(TABLES_STREAM, { table_name: name, listed_at: startedAt })
    await this.#emit([...(isFull ? [listing] : []), this.#stateMessage()])
    return 0
  }

  /**
   * Returns the number of rows or IDs of the last full walk, because a run can't read the target. A run uses it to
   * detect a table whose list is empty by mistake.
   */
  async count(table: string): Promise<number> {
    return this.#state.tables[table]?.rows ?? 0
  }

  async read(): Promise<StoredRow[]> {
    throw new CopyError('a Singer target cannot be read; compare it with the store in its own database')
  }

  asStored(_column: unknown, value: unknown): unknown {
    return value
  }

  async markSeen(): Promise<void> {}

  async unseenIds(): Promise<string[]> {
    return []
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {}

  #rowRecords({ name, children }: CopyTable, row: Readonly<Record<string, unknown>>): SingerMessage[] {
    const fields = new Set(children.map(({ field }) => field))
    const own = Object.fromEntries(Object.entries(row).filter(([field]) => !fields.has(field)))
    const embedded = children.flatMap((child) => {
      const rows = row[child.field]
      return Array.isArray(rows) ? rows.map((each: object) => this.#record(child.name, each)) : []
    })
    return [this.#record(name, own), ...embedded]
  }

  #record(stream: string, row: object): SingerMessage {
    const { synced_at: syncedAt } = this.#state
    return { type: 'RECORD', stream, record: { ...row, [SYNCED_AT]: syncedAt }, time_extracted: syncedAt }
  }

  /**
   * Returns the time of the next page, RFC 3339. It is later than the times of all pages before, even if the clock was
   * set back.
   */
  #tick(): string {
    const { now = Date.now } = this.#options
    const later = new Date(Math.max(now(), Date.parse(this.#state.synced_at) + 1)).toISOString()
    this.#state = { ...this.#state, synced_at: later }
    return later
  }

  #setTable(name: string, table: SingerState['tables'][string]): void {
    this.#state = { ...this.#state, tables: { ...this.#state.tables, [name]: table } }
  }

  #stateMessage(): SingerMessage {
    return { type: 'STATE', value: this.#state }
  }

  async #emit(messages: readonly SingerMessage[]): Promise<void> {
    if (messages.length > 0) await this.#options.write(messages.map((each) => `${exactJsonText(each)}\n`).join(''))
  }
}
