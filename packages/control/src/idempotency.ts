// Stores the responses to requests with an Idempotency-Key, so that a repetition gets the same response without a
// second change. A request has these states:
//
// - Running: its row has no status, and the node writes a heartbeat. A repetition is refused.
// - Completed: a repetition gets the stored response.
// - Abandoned: the node stopped before it completed the request. `ABANDONED_SECONDS` after its last heartbeat, a
//   repetition runs it again. If the first run continues later, it can't change the row, which the repetition owns.

import { createHash } from 'node:crypto'
import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import { decryptPassword, type EncryptionContext, encryptPassword } from './password-encryption.ts'

/** Hours for which a response is stored. */
export const IDEMPOTENCY_HOURS = 24
/** Milliseconds between two heartbeats of a running request. */
export const HEARTBEAT_MS = 10_000
/** Six heartbeats, so that a slow control database doesn't make a running request look abandoned. */
const ABANDONED_SECONDS = 60

/** A request with its key, as the table identifies both. */
export interface IdempotentRequest {
  readonly keyHash: Buffer
  readonly requestHash: Buffer
}

/** One run of a request. Only the last run of a request writes its row. */
export interface RequestRun extends IdempotentRequest {
  readonly runId: string
}

/** A response as the client got it. */
export interface StoredResponse {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** What to do with a request. */
export type IdempotencyOutcome =
  /**
   * The request is new, its earlier run was abandoned, or its response expired. Run it, and then call `completeRequest`
   * or `abandonRequest`.
   */
  | { readonly kind: 'run'; readonly run: RequestRun }
  /** The same request is running, or has just failed. */
  | { readonly kind: 'running' }
  /** Another request was sent with this key. */
  | { readonly kind: 'different' }
  | { readonly kind: 'completed'; readonly response: StoredResponse }

/** Returns the hashes of a request. `tokenId` separates the keys of different tokens. */
export function idempotentRequest(options: {
  readonly tokenId: string
  readonly key: string
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly body: Uint8Array
}): IdempotentRequest {
  const { tokenId, key, method, path, body } = options
  return {
    keyHash: createHash('sha256').update(`${tokenId}\n${key}`).digest(),
    requestHash: createHash('sha256').update(`${method} ${path}\n`).update(body).digest(),
  }
}

/**
 * Registers a request as running, or returns why it must not run. Rejects with `DecryptionError` if no secret decrypts
 * the stored response.
 */
export async function beginRequest(
  { database, keys }: Pick<EncryptionContext, 'database' | 'keys'>,
  request: IdempotentRequest,
): Promise<IdempotencyOutcome> {
  const { keyHash, requestHash } = request
  const [begun] = await database.pool.query<{ runId: string }>(sql`
    insert into idempotency_keys as i (key_hash, request_hash) values (${keyHash}, ${requestHash})
    on conflict (key_hash) do update
      set request_hash = excluded.request_hash, run_id = excluded.run_id, active_at = clock_timestamp(), status = null,
        content_type = null, response = null
    where i.active_at < clock_timestamp() - case when i.status is null
      then make_interval(secs => ${ABANDONED_SECONDS}::int) else make_interval(hours => ${IDEMPOTENCY_HOURS}::int) end
    returning run_id as "runId"`)
  if (begun !== undefined) return { kind: 'run', run: { ...request, runId: begun.runId } }
  const [known] = await database.pool.query<{
    isSame: boolean
    status: number | null
    contentType: string | null
    response: string | null
  }>(sql`
    select request_hash = ${requestHash} as "isSame", status, content_type as "contentType", response
    from idempotency_keys where key_hash = ${keyHash}`)
  // The first request has just failed, and its row is deleted. The client sends the request again.
  if (known === undefined) return { kind: 'running' }
  if (!known.isSame) return { kind: 'different' }
  const { status, contentType, response } = known
  if (status === null || contentType === null || response === null) return { kind: 'running' }
  return {
    kind: 'completed',
    response: { status, contentType, body: decryptPassword(keys, ownerOf(request), response) },
  }
}

/** Stores the response of a run that `beginRequest` registered, unless a repetition has replaced the run. */
export async function completeRequest(
  { database, keys, random }: EncryptionContext,
  run: RequestRun,
  { status, contentType, body }: StoredResponse,
): Promise<void> {
  const response = encryptPassword({ keys, storeId: ownerOf(run), password: body, random })
  await database.pool.execute(sql`
    update idempotency_keys
    set status = ${status}, content_type = ${contentType}, response = ${response}, active_at = clock_timestamp()
    where ${isRunning(run)}`)
}

/** Writes the heartbeat of a run. */
export async function keepRequest({ pool }: ControlDatabase, run: RequestRun): Promise<void> {
  await pool.execute(sql`update idempotency_keys set active_at = clock_timestamp() where ${isRunning(run)}`)
}

/** Deletes the row of a run that failed, so that a repetition runs the request again. */
export async function abandonRequest({ pool }: ControlDatabase, run: RequestRun): Promise<void> {
  await pool.execute(sql`delete from idempotency_keys where ${isRunning(run)}`)
}

/** Returns a condition for the row of a run without a response. It fails if a repetition has replaced the run. */
function isRunning({ keyHash, runId }: RequestRun) {
  return sql`key_hash = ${keyHash} and run_id = ${runId} and status is null`
}

/** Deletes rows that changed last more than 24 hours ago, also those of abandoned requests. Returns how many. */
export async function deleteOldResponses({ pool }: ControlDatabase): Promise<number> {
  return pool.execute(sql`
    delete from idempotency_keys
    where active_at < clock_timestamp() - make_interval(hours => ${IDEMPOTENCY_HOURS}::int)`)
}

/**
 * Returns what the encryption uses in place of a store's ID, as associated data. A response that is copied to another
 * row is then unreadable.
 */
function ownerOf({ keyHash }: IdempotentRequest): string {
  return `response ${keyHash.toString('hex')}`
}
