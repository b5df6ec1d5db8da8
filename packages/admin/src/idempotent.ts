// Runs a request with an Idempotency-Key once, and repeats its response. A request that failed with 5xx can run again.

import {
  abandonRequest,
  beginRequest,
  completeRequest,
  DecryptionError,
  HEARTBEAT_MS,
  type IdempotencyOutcome,
  type IdempotentRequest,
  idempotentRequest,
  keepRequest,
  type RegistryContext,
  type RequestRun,
  type StoredResponse,
} from '@store-export/control'
import { Problem } from './problems.ts'
import { invalidRequest } from './validate.ts'

const KEY = /^[!-~]{1,255}$/

/** The token, the key, and the parts of a request that must be the same in a repetition. */
export interface RequestFacts {
  readonly tokenId: string
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The header Idempotency-Key; null without one. */
  readonly key: string | null
  readonly body: Uint8Array
}

/** Stores a response; null for a request that failed with 5xx, so that a repetition runs it again. */
export type Finish = (response: StoredResponse | null) => Promise<void>

/**
 * Returns the response of `run`, or the stored response of an earlier equal request. Without a key, only runs the
 * request. `run` calls `finish` before the client gets the last byte. Rejects like `run`. Rejects with `Problem` if the
 * key is not valid or belongs to another request. Also rejects with it if the first request is still running, or if the
 * stored response can't be decrypted.
 */
export async function onceForKey(
  context: RegistryContext,
  facts: RequestFacts,
  run: (finish: Finish) => Promise<Response>,
): Promise<Response> {
  const { key } = facts
  if (key === null) return run(async () => undefined)
  if (!KEY.test(key))
    throw invalidRequest([{ field: 'Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters' }])
  const request = idempotentRequest({ ...facts, key })
  const begun = await begin(context, request)
  if (begun.kind === 'run') return runOnce(context, begun.run, run)
  const { status, contentType, body } = begun.response
  return new Response(body, { status, headers: { 'content-type': contentType, 'idempotent-replayed': 'true' } })
}

/** Returns the stored response, or the run of a new request, which is then registered as running. */
async function begin(
  context: RegistryContext,
  request: IdempotentRequest,
): Promise<Extract<IdempotencyOutcome, { readonly kind: 'run' | 'completed' }>> {
  const outcome = await beginRequest(context, request).catch((error: unknown) => {
    if (!(error instanceof DecryptionError)) throw error
    throw new Problem('response-unreadable', 'the stored response was encrypted with another secret', { cause: error })
  })
  if (outcome.kind === 'run' || outcome.kind === 'completed') return outcome
  if (outcome.kind === 'different')
    throw new Problem('idempotency-key-reused', 'another request was sent with this Idempotency-Key; use a new key')
  throw new Problem('request-running', 'the first request with this Idempotency-Key is still running', {
    headers: { 'retry-after': '1' },
  })
}

/**
 * Runs a new request. Until it is finished, writes a time (the heartbeat) by which all nodes see that it still runs. If
 * `run` rejects, the request counts as running until a minute after the last heartbeat.
 */
async function runOnce(
  context: RegistryContext,
  registered: RequestRun,
  run: (finish: Finish) => Promise<Response>,
): Promise<Response> {
  // A missing heartbeat only allows an early repetition, and the next statement of the request reports a lost database.
  const heartbeat = setInterval(
    () => void keepRequest(context.database, registered).catch(() => undefined),
    HEARTBEAT_MS,
  ).unref()
  const finish: Finish = async (response) => {
    clearInterval(heartbeat)
    if (response === null) await abandonRequest(context.database, registered)
    else await completeRequest(context, registered, response)
  }
  try {
    return await run(finish)
  } catch (error) {
    clearInterval(heartbeat)
    throw error
  }
}
