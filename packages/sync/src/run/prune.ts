// Removes what the store has deleted: the ids of a table are walked, which costs a fortieth of its rows, and what the copy
// held before and they do not bring goes. To the copy it is a walk of the whole list that writes nothing.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { Copy, TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { leavingNone, oneAhead } from './ahead.ts'
import { refuseEmptying } from './emptying.ts'
import { idsOf } from './ids.ts'
import { ListMissing } from './lists.ts'

/** What pruning needs. */
export interface PruneOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly signal?: AbortSignal
  /** Whether a table whose list of ids is empty may lose all of its rows. */
  readonly allowsEmpty?: boolean
  /** Hears of each page of ids. */
  readonly observeIds: (table: string, ids: number) => void
  /** Hears once that the service has no lists of ids. */
  readonly observeMissing: () => void
}

/** What was pruned of a table. */
export interface Pruned {
  /** Ids read. */
  readonly ids: number
  /** Rows removed, those that they had or owned not counted. */
  readonly removed: number
}

/** Prunes the tables of one run. */
export class Pruner {
  readonly #options: PruneOptions
  #isMissing = false

  constructor(options: PruneOptions) {
    this.#options = options
  }

  /**
   * Removes what the store has deleted of a table, whose walk has ended with `state`; null where the service has no lists
   * of ids. Nothing is written from the beginning of the ids to their end, so that what the copy has was there before.
   */
  async prune(table: CopyTable, state: TableState): Promise<Pruned | null> {
    if (this.#isMissing) return null
    try {
      return await this.#walkOrAgain(table, state)
    } catch (error) {
      if (!(error instanceof ListMissing)) throw error
      this.#isMissing = true
      this.#options.observeMissing()
      return null
    }
  }

  async #walkOrAgain(table: CopyTable, state: TableState): Promise<Pruned> {
    const walk = () => leavingNone(this.#options.signal, (signal) => this.#walk(table, state, signal))
    try {
      return await walk()
    } catch (error) {
      // a cursor that the service takes no more: the ids are begun again, once
      if (!(error instanceof StoreExportError && error.code === 'INVALID_CURSOR')) throw error
      return walk()
    }
  }

  async #walk(table: CopyTable, state: TableState, signal: AbortSignal): Promise<Pruned> {
    const { client, copy, observeIds } = this.#options
    let ids = 0
    let isFirst = true
    for await (const rows of oneAhead(idsOf(client, table, signal))) {
      signal.throwIfAborted()
      await copy.write({ table, rows: [], met: rows.map(({ id }) => id), isWhole: true, isFirst })
      isFirst = false
      ids += rows.length
      observeIds(table.name, ids)
    }
    if (ids === 0) await refuseEmptying(this.#options, table.name)
    return { ids, removed: await copy.end({ table, state, isWhole: true }) }
  }
}
