// Records the database calls of a request for telemetry. Without telemetry, `calls` is null and nothing is recorded.

import type { Plan, ReadRequest } from '@store-export/engine'
import type { DatabaseCall } from './request-telemetry.ts'

/** What every read of a request needs. */
export type ReadContext = Pick<ReadRequest, 'address' | 'requestId' | 'startedAt' | 'onAttempt'>

/** Returns a context with which each attempt to read the table of the plan adds a call to `calls`. */
export function withCalls(context: ReadContext, { resource }: Plan, calls: DatabaseCall[] | null): ReadContext {
  if (calls === null) return context
  const call = { summary: `SELECT ${resource.table}`, databaseUrl: context.address.databaseUrl }
  return { ...context, onAttempt: (attempt) => void calls.push({ ...call, ...attempt }) }
}

/** Runs the check of a key, and adds it to `calls`, also if it fails. Settles like `check`. */
export async function timed<T>(calls: DatabaseCall[] | null, check: () => Promise<T>): Promise<T> {
  if (calls === null) return await check()
  const startedAt = performance.now()
  const add = (error: unknown) =>
    calls.push({
      ...{ summary: 'SELECT api_keys', databaseUrl: null, startedAt, connectedAt: null },
      ...{ endedAt: performance.now(), error },
    })
  try {
    const result = await check()
    add(null)
    return result
  } catch (error) {
    add(error)
    throw error
  }
}
