// Limits the memory of responses that clients have not read yet. Beyond a limit, the service rejects requests, usually
// before it reads the store. See docs/contribute/decisions/009-bound-unread-responses.md. There are two limits:
// - Per key: 429, because the client of the key must read its responses. Without this limit, one client could use up
//   the total.
// - In total: 502, because the client can't free the memory.
//
// An empty buffer has space for any response. Otherwise, a row above a limit could never be sent.

import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@store-export/contract'

/** Limits of the response buffer, from settings. */
export interface ResponseBufferLimits {
  /** Maximum bytes of all unread responses together. */
  readonly responseBufferBytesMax: number
  /** Maximum bytes of the unread responses of one key. */
  readonly keyResponseBufferBytesMax: number
  /** Approximate size of a page. The service reads a page only if this many bytes are free, or the buffer is empty. */
  readonly pageBytesMax: number
}

/**
 * Value of `Retry-After` for a full buffer of a key. It is short, because a client that reads frees space with each
 * response.
 */
const RETRY_AFTER_SECONDS = '1'

/**
 * The open responses, and the bytes of their bodies. A response is open from the arrival of its request until its last
 * byte is sent or its connection is closed.
 */
export class OpenResponses {
  readonly #limits: ResponseBufferLimits
  /** The open responses, each with the callbacks for its end. */
  readonly #open = new Map<ServerResponse, (() => void)[]>()
  readonly #ofSockets = new WeakMap<Duplex, Set<ServerResponse>>()
  readonly #bytesOfKeys = new Map<string, number>()
  #bytes = 0
  /** Callbacks that resolve the promises of `allClosed`. */
  #waiting: (() => void)[] = []

  constructor(limits: ResponseBufferLimits) {
    this.#limits = limits
  }

  /** Tracks a response until it is closed. */
  add(response: ServerResponse): void {
    this.#open.set(response, [])
    this.#ofSocket(response.req.socket).add(response)
    response.once('close', () => this.#close(response))
  }

  /** Calls `call` when the response is closed, or immediately if it is already closed. */
  whenClosed(response: ServerResponse, call: () => void): void {
    const calls = this.#open.get(response)
    if (calls === undefined) call()
    else calls.push(call)
  }

  /**
   * Resolves when no response is open. Waiting for the server's `close` isn't enough: Node treats a response as
   * finished when it is written but not yet sent.
   */
  allClosed(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Closes the connections of all open responses, even of those that Node treats as finished. */
  destroyConnections(): void {
    for (const { req } of this.#open.keys()) req.socket.destroy()
  }

  /**
   * Throws `RATE_LIMITED` if the buffer of the key has no space for `bytes` more, by default a page. Throws
   * `STORE_DB_ERROR` if the buffer of all keys has no space.
   */
  requireSpace(keyId: string, bytes = this.#limits.pageBytesMax): void {
    const { keyResponseBufferBytesMax, responseBufferBytesMax } = this.#limits
    if (isBeyond(this.#bytesOfKeys.get(keyId) ?? 0, bytes, keyResponseBufferBytesMax)) throw keyBufferFull()
    if (isBeyond(this.#bytes, bytes, responseBufferBytesMax)) throw bufferFull()
  }

  /**
   * Counts `bytes` as bytes of the buffer until the response is closed. Throws like `requireSpace`, and then adds
   * nothing.
   */
  addBytes(response: ServerResponse, keyId: string, bytes: number): void {
    this.requireSpace(keyId, bytes)
    this.#count(keyId, bytes)
    this.whenClosed(response, () => this.#count(keyId, -bytes))
  }

  /**
   * Returns the set of open responses of a connection. When the connection closes, removes them, because Node does not
   * report a closed connection to a response that waits for an earlier response.
   */
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
    'the response buffer of this key is full, because its client does not read its responses; read them, then try again',
    { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
  )
}

function bufferFull(): ApiError {
  return new ApiError(
    'STORE_DB_ERROR',
    'the response buffer is full, because clients do not read their responses; try again with exponential backoff',
  )
}
