// Answers under way: which have not left yet, and how many bytes of them wait in memory for clients to read them. A
// client that asks and never reads is refused before the store is read for it again. See
// docs/contribute/decisions/009-bound-unread-responses.md.

import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@store-export/contract'

/** Limits on what waits to be sent; settings. */
export interface ResponseBufferLimits {
  readonly responseBufferBytesMax: number
  readonly keyResponseBufferBytesMax: number
  /** Size of a page, near enough: what has to be free before one is read. */
  readonly pageBytesMax: number
}

/** Seconds: a client that reads has room again soon; one that does not is let go after its time. */
const RETRY_AFTER_SECONDS = '1'

/** Every answer from the arrival of its request until its last byte has left, or its client has. */
export class OpenResponses {
  readonly #limits: ResponseBufferLimits
  /** With what to do once an answer is closed. */
  readonly #open = new Map<ServerResponse, (() => void)[]>()
  readonly #ofSockets = new WeakMap<Duplex, Set<ServerResponse>>()
  readonly #bytesOfKeys = new Map<string, number>()
  #bytes = 0
  #waiting: (() => void)[] = []

  constructor(limits: ResponseBufferLimits) {
    this.#limits = limits
  }

  /** Counts an answer as open from now on. */
  add(response: ServerResponse): void {
    this.#open.set(response, [])
    this.#ofSocket(response.req.socket).add(response)
    response.once('close', () => this.#close(response))
  }

  /** Calls when the answer is closed: at once where it is already. */
  whenClosed(response: ServerResponse, call: () => void): void {
    const calls = this.#open.get(response)
    if (calls === undefined) call()
    else calls.push(call)
  }

  /** Resolves when no answer is open; Node counts those as idle that are written and not sent. */
  allClosed(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Closes the connections of all open responses, also of those that Node no longer counts as its own. */
  destroyConnections(): void {
    for (const { req } of this.#open.keys()) req.socket.destroy()
  }

  /**
   * Throws `RATE_LIMITED` or `STORE_DB_ERROR` where too much waits for `bytes` more, by default a page. One answer has
   * always room, however large.
   */
  requireRoom(keyId: string, bytes = this.#limits.pageBytesMax): void {
    const { keyResponseBufferBytesMax, responseBufferBytesMax } = this.#limits
    if (isBeyond(this.#bytesOfKeys.get(keyId) ?? 0, bytes, keyResponseBufferBytesMax)) throw keyBufferFull()
    if (isBeyond(this.#bytes, bytes, responseBufferBytesMax)) throw bufferFull()
  }

  /** Counts the bytes of an answer until it is closed; throws as `requireRoom` does. */
  addBytes(response: ServerResponse, keyId: string, bytes: number): void {
    this.requireRoom(keyId, bytes)
    this.#count(keyId, bytes)
    this.whenClosed(response, () => this.#count(keyId, -bytes))
  }

  /** An answer that waits for one before it is not told by Node that its connection is gone. */
  #ofSocket(socket: Duplex): Set<ServerResponse> {
    const known = this.#ofSockets.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    this.#ofSockets.set(socket, responses)
    socket.once('close', () => {
      for (const response of responses) this.#close(response)
    })
    return responses
  }

  #close(response: ServerResponse): void {
    const calls = this.#open.get(response) ?? []
    this.#open.delete(response)
    this.#ofSockets.get(response.req.socket)?.delete(response)
    for (const call of calls) call()
    if (this.#open.size > 0) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting = []
  }

  #count(keyId: string, bytes: number): void {
    this.#bytes += bytes
    const ofKey = (this.#bytesOfKeys.get(keyId) ?? 0) + bytes
    if (ofKey > 0) this.#bytesOfKeys.set(keyId, ofKey)
    else this.#bytesOfKeys.delete(keyId)
  }
}

function isBeyond(held: number, more: number, max: number): boolean {
  return held > 0 && held + more > max
}

function keyBufferFull(): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    'too many bytes of answers to this key wait for a client that does not read them; read them first, then ask again',
    { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
  )
}

function bufferFull(): ApiError {
  return new ApiError(
    'STORE_DB_ERROR',
    'too many bytes of answers wait for clients that do not read them; try again with exponential backoff',
  )
}
