// A proxy that rejects the first requests with each status that asks the client to wait.

import { type Fault, withFaultProxy } from './fault-proxy.ts'

/** The path whose first requests fail. Each run of a connector requests it once. */
const PATH = '/api/v1/store'
const STATUSES = [408, 409, 502, 429]
const RETRY_AFTER_SECONDS = 2

/**
 * Calls `work` with the address of a proxy to `target`. Throws if a request came before the time in `Retry-After`, or
 * if not every rejected request was repeated.
 */
export async function withRetryProxy<T>(
  target: string,
  work: (url: string) => Promise<T>,
  statuses: readonly number[] = STATUSES,
): Promise<T> {
  const rejectedAt: number[] = []
  const waits: number[] = []
  const faultOf = (url: string): Fault | null => {
    if (!url.startsWith(PATH)) return null
    const last = rejectedAt.at(-1)
    if (last !== undefined && waits.length < rejectedAt.length) waits.push(performance.now() - last)
    const status = statuses[rejectedAt.length]
    if (status === undefined) return null
    rejectedAt.push(performance.now())
    const body = JSON.stringify({ error: { code: 'TEST', message: 'wait for the seconds in Retry-After' } })
    return { status, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, body }
  }
  const result = await withFaultProxy(target, faultOf, work)
  if (waits.length !== statuses.length) throw new Error(`the connector repeated ${waits.length} rejected requests`)
  const early = waits.find((ms) => ms < RETRY_AFTER_SECONDS * 1000)
  if (early !== undefined) throw new Error(`the connector waited ${early} ms, less than Retry-After`)
  return result
}
