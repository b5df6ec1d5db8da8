// The state of a Singer copy, which is its only memory: a STATE message has all that the next run needs to continue.

import type { CopyState, TableState, UnfinishedWalk } from '../copy.ts'

/** The state of a table in a STATE message. */
interface SingerTable {
  readonly state?: TableState
  /** Number of rows or IDs that the last full walk returned. */
  readonly rows?: number
  readonly unfinished?: UnfinishedWalk
  /** `synced_at` of the first page of a walk that has not ended. */
  readonly walk_synced_at?: string
}

/** The state of a Singer copy: the value of a STATE message. */
export interface SingerState {
  /** ID of the copied store; null before the first run. */
  readonly store_id: string | null
  /** The `synced_at` of the latest records, RFC 3339; 1970 before the first run. */
  readonly synced_at: string
  readonly tables: Readonly<Record<string, SingerTable>>
}

/** State of a Singer copy before its first run. */
export const NEW_STATE: SingerState = { store_id: null, synced_at: '1970-01-01T00:00:00.000Z', tables: {} }

/**
 * Returns the state in the text of a file: a state, a whole STATE message, or an empty object for the first run. Throws
 * `SyntaxError` if the text is not JSON, or lacks an object `tables` or a date `synced_at`. Does not check the content
 * of `tables`, which store-sync wrote.
 */
export function parseSingerState(text: string): SingerState {
  const parsed: unknown = JSON.parse(text)
  const value = isObject(parsed) && parsed.type === 'STATE' ? parsed.value : parsed
  if (isObject(value) && isObject(value.tables) && !Number.isNaN(Date.parse(String(value.synced_at))))
    return value as unknown as SingerState
  // Meltano and other programs start with an empty object.
  if (isObject(value) && Object.keys(value).length === 0) return NEW_STATE
  throw new SyntaxError('the file has no state of store-sync')
}

/** Returns the state in the form that all copies share. */
export function copyStateOf({ store_id: storeId, tables }: SingerState): CopyState {
  const entries = Object.entries(tables)
  return {
    storeId,
    tables: new Map(entries.flatMap(([name, { state }]) => (state === undefined ? [] : [[name, state] as const]))),
    unfinished: new Map(
      entries.flatMap(([name, { unfinished }]) => (unfinished === undefined ? [] : [[name, unfinished] as const])),
    ),
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
