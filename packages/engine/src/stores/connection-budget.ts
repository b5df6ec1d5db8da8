// Counts the connections of one database server, or of all servers together, against their upper bound.

import { ReconnectPause } from './reconnect-pause.ts'

/**
 * The state of a store by its last request. A new store has not responded yet and may hang, so its connections get only
 * a share of the bound. A store that failed last gets a smaller share.
 */
export type Standing = 'answering' | 'new' | 'failing'

/** Share of the bound for connections that have not answered yet. */
const SHARES: Readonly<Record<Standing, number>> = { answering: 1, new: 1 / 2, failing: 1 / 4 }

export class ConnectionBudget {
  readonly max: number
  /** Delays attempts on a server that refuses connections. */
  readonly pause = new ReconnectPause()
  /** Last time that a request released a connection, by `performance.now()`. */
  progressAt = 0
  private open = 0
  /** Connections that have not answered yet, by the standing of their store when they were opened. */
  private readonly unproven: Record<Standing, number> = { answering: 0, new: 0, failing: 0 }

  constructor(max: number) {
    this.max = max
  }

  /** Whether another connection would exceed the bound. */
  get isFull(): boolean {
    return this.open >= this.max
  }

  /** Whether the share of such stores has room for another connection. At least one fits into each share. */
  hasShareFor(standing: Standing): boolean {
    return this.unproven[standing] < Math.max(1, Math.floor(this.max * SHARES[standing]))
  }

  /** Whether an attempt may begin now: one at a time while the server refuses connections. */
  mayTry(): boolean {
    const { answering, new: fresh, failing } = this.unproven
    return !this.pause.isFailing || answering + fresh + failing === 0
  }

  /** Counts a connection that is about to be opened, by the standing of its store. */
  add(standing: Standing | null): void {
    this.open++
    if (standing !== null) this.unproven[standing]++
  }

  /** Notes the first response on a connection. */
  prove(standing: Standing): void {
    this.unproven[standing]--
  }

  /** Stops counting a closed connection; `unproven` is the standing with which it was added, if it never answered. */
  remove(unproven: Standing | null): void {
    this.open--
    if (unproven !== null) this.unproven[unproven]--
    this.progressAt = performance.now()
  }
}
