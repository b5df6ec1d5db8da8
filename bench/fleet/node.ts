// Simulates what a node holds: connections to the stores that were used last (engine/src/stores/store-pools.ts), and
// the cached columns of stores (store-columns.ts).

/** Limits of a node's connections and cached columns. */
export interface NodeBounds {
  /** Maximum number of stores with connections at the same time. */
  readonly storesMax: number
  /** Steps without a request after which a connection is closed. */
  readonly idleSteps: number
  /** Steps after which cached columns are read again. */
  readonly columnsSteps: number
}

/** Callbacks for the opening and closing of a store's connection. */
export interface NodeHooks {
  readonly onOpen: (store: number) => void
  readonly onClose: (store: number) => void
}

/** What the node had to do before it could read the rows of a request. */
export interface Preparation {
  /** Whether the node opened a connection to the store. */
  opened: boolean
  /** Whether the node read the columns of the store. */
  readColumns: boolean
}

/** A simulated node. A step is 10 ms long. */
export class FleetNode {
  /** Step of the last use by store, least recent use first. */
  private readonly pools = new Map<number, number>()
  /** Step of the last read of columns by store, oldest first. Expired entries are removed, which limits the memory. */
  private readonly columns = new Map<number, number>()
  private readonly prepared: Preparation = { opened: false, readColumns: false }
  private readonly bounds: NodeBounds
  private readonly hooks: NodeHooks

  constructor(bounds: NodeBounds, hooks: NodeHooks) {
    this.bounds = bounds
    this.hooks = hooks
  }

  /** Number of stores with open connections. */
  get storesConnected(): number {
    return this.pools.size
  }

  /**
   * Handles a request of a store at a step. If the store has no connection and the node has the maximum, this closes
   * the connection that was used least recently. The result is reused, so it is valid until the next call.
   */
  serve(store: number, now: number): Preparation {
    this.prepared.opened = !this.pools.delete(store)
    if (this.prepared.opened) {
      if (this.pools.size >= this.bounds.storesMax) this.closeFirst()
      this.hooks.onOpen(store)
    }
    this.pools.set(store, now)
    this.prepared.readColumns = this.mustReadColumns(store, now)
    return this.prepared
  }

  /** Closes connections and removes columns that have expired. Call this once a second. */
  tidy(now: number): void {
    for (const usedAt of this.pools.values()) {
      if (now - usedAt < this.bounds.idleSteps) break
      this.closeFirst()
    }
    for (const [store, readAt] of this.columns) {
      if (now - readAt < this.bounds.columnsSteps) break
      this.columns.delete(store)
    }
  }

  private mustReadColumns(store: number, now: number): boolean {
    const readAt = this.columns.get(store)
    if (readAt !== undefined && now - readAt < this.bounds.columnsSteps) return false
    // The store moves to the end, because the map is in the order of the reads.
    this.columns.delete(store)
    this.columns.set(store, now)
    return true
  }

  /** Closes the connection that was used least recently. */
  private closeFirst(): void {
    for (const store of this.pools.keys()) {
      this.pools.delete(store)
      this.hooks.onClose(store)
      return
    }
  }
}
