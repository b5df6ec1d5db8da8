// Removes rows that the store has deleted. A walk of the IDs needs about 1/40 of the requests of a full walk. If the
// copy had a row before this walk, and the walk does not return it, the store has deleted the row. The copy treats
// this as a full walk without rows, so it removes every row whose ID was not returned.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { Copy, TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { refuseToEmpty } from './empty-tables.ts'
import { listIds } from './list-ids.ts'
import { ListMissingError } from './list-rows.ts'
import { abortWhenDone, readAhead } from './read-ahead.ts'

export interface PrunerOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly signal?: AbortSignal
  /** Whether to remove all rows of a table if its list of IDs is empty. */
  readonly allowsEmpty?: boolean
  /** Called after each page of IDs, with the number of IDs so far. */
  readonly onIds: (table: string, ids: number) => void
  /** Called once if the service has no lists of IDs. */
  readonly onListMissing: () => void
}

/** What the walk of a table's IDs read and removed. */
export interface PruneResult {
  /** IDs that the store returned. */
  readonly ids: number
  /** Rows removed, without their embedded and owned rows. */
  readonly removed: number
}

/** Prunes tables one after the other. If the service has no lists of IDs, it prunes no further table of the run. */
export class Pruner {
  readonly #options: PrunerOptions
  #isListMissing = false

  constructor(options: PrunerOptions) {
    this.#options = options
  }

  /**
   * Removes deleted rows of a table whose walk has ended with `state`. The table must have `ids`. Returns null if the
   * service has no lists of IDs. Throws `EmptyTableError` if the list of IDs is empty, but the table of the copy is
   * not, unless `allowsEmpty` is true. Throws the errors of the client and of the copy.
   *
   * The caller must not write the table during the walk, because the pruner would remove rows that are written then.
   */
  async prune(table: CopyTable, state: TableState): Promise<PruneResult | null> {
    if (this.#isListMissing) return null
    try {
      return await this.#walkWithRestart(table, state)
    } catch (error) {
      if (!(error instanceof ListMissingError)) throw error
      this.#isListMissing = true
      this.#options.onListMissing()
      return null
    }
  }

  /** Restarts the walk once if the service rejects a cursor. */
  async #walkWithRestart(table: CopyTable, state: TableState): Promise<PruneResult> {
    const walk = () => abortWhenDone(this.#options.signal, (signal) => this.#walk(table, state, signal))
    try {
      return await walk()
    } catch (error) {
      if (!(error instanceof StoreExportError && error.code === 'INVALID_CURSOR')) throw error
      return walk()
    }
  }

  async #walk(table: CopyTable, state: TableState, signal: AbortSignal): Promise<PruneResult> {
    const { client, copy, onIds } = this.#options
    let ids = 0
    let isFirst = true
    for await (const rows of readAhead(listIds(client, table, signal))) {
      signal.throwIfAborted()
      await copy.write({ table, rows: [], seenIds: rows.map(({ id }) => id), isFull: true, isFirst })
      isFirst = false
      ids += rows.length
      onIds(table.name, ids)
    }
    if (ids === 0) await refuseToEmpty(this.#options, table.name)
    return { ids, removed: await copy.end({ table, state, isFull: true }) }
  }
}
