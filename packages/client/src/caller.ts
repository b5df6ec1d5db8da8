// Makes the calls of the client reliable. Before each attempt, a call waits for its turn if requests are paced. It
// retries temporary failures until `retryForMs` has passed. No other object of the client stores the key.

import { addressErrorMessage } from './address-error-message.ts'
import { AddressError, ConnectionError } from './errors.ts'
import { PagedList, type RowsPage } from './paged-list.ts'
import { type RateLimit, rateLimitOf } from './rate-limit.ts'
import { RequestPacer } from './request-pacer.ts'
import { type CompleteResponse, rejectIgnored, responseObject, responsePage } from './response.ts'
import { type Pause, retryPause } from './retry.ts'

/** Options that every method of the client accepts. */
export interface CallOptions {
  /** Aborts the call, or the iteration over a list, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** A pause of `ms` milliseconds before a request. `onPause` gets it, to show progress. */
export interface ClientPause {
  /** `pace`: the client spreads its requests. `limit`: the response has status 429. `error`: a temporary failure. */
  readonly reason: Pause['reason'] | 'pace'
  readonly ms: number
  /** The error before a retry; absent for `pace`. */
  readonly error?: unknown
}

/** A response of the service. `onResponse` gets it, to show progress. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number
  /** Rate limit of the key; null if the response has no valid rate limit headers. */
  readonly limit: RateLimit | null
}

/** Options for retries, time limits, pacing, and progress. */
export interface CallerOptions {
  /**
   * Time in ms after which a call, or a page of a list, begins no further retry; defaults to 120,000. 0 allows one
   * attempt.
   */
  readonly retryForMs?: number
  /**
   * Like `retryForMs`, for refused connections before the first response. The default and the maximum is `retryForMs`.
   */
  readonly retryRefusedForMs?: number
  /** Time limit of an attempt in ms, up to the last byte of its response; defaults to 30,000. */
  readonly attemptTimeoutMs?: number
  /** Maximum requests per minute, evenly spread, for a key that other tools also use; no maximum by default. */
  readonly requestsPerMinute?: number
  /** Called before each pause. If it throws, the call rejects with that error. */
  readonly onPause?: (pause: ClientPause) => void
  /** Called after each complete response, including errors. If it throws, the call rejects with that error. */
  readonly onResponse?: (response: ResponseInfo) => void
  /** Replaces `JSON.parse`, for example to read numbers without rounding. Must throw for a string that is not JSON. */
  readonly parse?: (text: string) => unknown
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Replaces the timer. Must reject when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Returns the milliseconds of a monotonic clock. Replaces `performance.now`. */
  readonly now?: () => number
  /** Returns a number from 0 up to, but not including, 1, which spreads the retries. Replaces `Math.random`. */
  readonly random?: () => number
}

type ListQuery = CallOptions & Readonly<Record<string, unknown>>

const RETRY_FOR_MS = 120_000
const ATTEMPT_TIMEOUT_MS = 30_000
const DEFAULT_LIMIT = 250

/**
 * Sends requests to one service with one key. Every call rejects with `StoreExportError` for an error response, and
 * with the reason of its signal if the signal aborts. It rejects with `ConnectionError` if no complete and well-formed
 * response arrives. A list also throws `IgnoredParameterError` if the service ignored a parameter that the call sent.
 */
export class Caller {
  readonly #url: string
  readonly #key: string
  readonly #options: CallerOptions
  readonly #pacer: RequestPacer | null
  /**
   * Whether the service has responded. The first response proves that the address is right, so later failures are
   * temporary.
   */
  #hasResponded = false

  /** `url` has no slash at its end. */
  constructor(url: string, key: string, options: CallerOptions) {
    this.#url = url
    this.#key = key
    this.#options = options
    this.#pacer = options.requestsPerMinute === undefined ? null : new RequestPacer(options.requestsPerMinute)
  }

  /** Returns the object in the response. */
  object<Row>(path: string, options: CallOptions): Promise<Row> {
    return this.#call(path, options, responseObject<Row>)
  }

  /** Returns all rows of a list that is not paginated. */
  async rows<Row>(path: string, options: CallOptions): Promise<Row[]> {
    return [...(await this.#call(path, options, responsePage<Row>)).rows]
  }

  /**
   * Returns the list at `path`. Sends no request before the caller iterates over it. All options except `signal` and
   * `cursor` become query parameters, with names in snake case. Options that are undefined are left out.
   */
  list<Row>(path: string, { limit = DEFAULT_LIMIT, ...options }: ListQuery): PagedList<Row> {
    return this.#pagedList(path, { limit, ...options })
  }

  /** Returns the list of IDs at `path`. Its pages have a fixed size, so it sends no `limit`. */
  idList<Row>(path: string, options: ListQuery): PagedList<Row> {
    return this.#pagedList(path, options)
  }

  #pagedList<Row>(path: string, { signal, cursor, ...parameters }: ListQuery): PagedList<Row> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) query.set(snake(name), textOf(value))
    const call = signal === undefined ? {} : { signal }
    const fetchPage = (after: string | null): Promise<RowsPage<Row>> => {
      const pageQuery = new URLSearchParams(query)
      if (after !== null) pageQuery.set('cursor', after)
      return this.#call(pageQuery.size === 0 ? path : `${path}?${pageQuery}`, call, (response) => {
        const page = responsePage<Row>(response)
        rejectIgnored(response, path, query)
        return page
      })
    }
    return new PagedList(fetchPage, typeof cursor === 'string' ? cursor : null)
  }

  async #call<T>(path: string, { signal }: CallOptions, read: (response: CompleteResponse) => T): Promise<T> {
    const { now = () => performance.now(), random = Math.random } = this.#options
    let startedAt = now()
    for (let attempt = 1; ; attempt += 1) {
      // The time for retries does not include this pause.
      startedAt += await this.#waitForTurn(now, signal)
      try {
        return read(await this.#attempt(path, signal))
      } catch (error) {
        // If the signal aborted the attempt, the call rejects with the reason of the signal, not with `error`.
        signal?.throwIfAborted()
        const pause = retryPause(error, attempt, random())
        if (pause === null || now() + pause.ms > startedAt + this.#retryForMs(error)) throw error
        await this.#pause({ ...pause, error }, signal)
      }
    }
  }

  #retryForMs(error: unknown): number {
    const { retryForMs = RETRY_FOR_MS, retryRefusedForMs = retryForMs } = this.#options
    const isRefused = error instanceof ConnectionError && error.code === 'ECONNREFUSED'
    return isRefused && !this.#hasResponded ? Math.min(retryForMs, retryRefusedForMs) : retryForMs
  }

  /** Waits for the slot of the next request. Returns the waiting time in ms; 0 if requests are not paced. */
  async #waitForTurn(now: () => number, signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted()
    const [since, pacer] = [now(), this.#pacer]
    const at = pacer?.reserve(since) ?? since
    const ms = at - since
    if (ms === 0) return ms
    await this.#pause({ reason: 'pace', ms }, signal).catch((reason: unknown) => {
      // An aborted call does not use its slot.
      pacer?.release(at)
      throw reason
    })
    return ms
  }

  async #attempt(path: string, signal: AbortSignal | undefined): Promise<CompleteResponse> {
    const { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, parse = JSON.parse } = this.#options
    // AbortSignal.timeout() throws for a fraction of a millisecond.
    const limit = AbortSignal.timeout(Math.ceil(attemptTimeoutMs))
    const { response, text } = await this.#fetchText(path, signal, limit, attemptTimeoutMs)
    const { status, headers } = response
    this.#hasResponded = true
    this.#options.onResponse?.({ status, limit: rateLimitOf(headers) })
    return { status, headers, text, parse }
  }

  /**
   * Returns the response and its complete body. `limit` aborts at the time limit of the attempt. Rejects with
   * `ConnectionError`; before the first response, with `AddressError` if the address is wrong.
   */
  async #fetchText(
    path: string,
    signal: AbortSignal | undefined,
    limit: AbortSignal,
    attemptTimeoutMs: number,
  ): Promise<{ response: Response; text: string }> {
    const { fetch = globalThis.fetch } = this.#options
    try {
      const response = await fetch(this.#url + path, {
        headers: { 'x-api-key': this.#key, accept: 'application/json' },
        // The key must not be sent to the target of a redirect.
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      return { response, text: await response.text() }
    } catch (cause) {
      if (limit.aborted)
        throw new ConnectionError(`no complete response from ${this.#url} within ${attemptTimeoutMs} ms`, {
          cause,
        })
      throw this.#connectionError(cause)
    }
  }

  #connectionError(cause: unknown): ConnectionError {
    const code = codeOf(cause)
    const shown = code === null ? '' : ` (${code})`
    const message = this.#hasResponded ? null : addressErrorMessage(code)
    if (message !== null) return new AddressError(`${this.#url}: ${message}${shown}`, { cause, code })
    return new ConnectionError(`no complete response from ${this.#url}: the connection failed or was cut${shown}`, {
      cause,
      code,
    })
  }

  #pause(pause: ClientPause, signal: AbortSignal | undefined): Promise<void> {
    const { onPause, sleep = wait } = this.#options
    onPause?.(pause)
    return sleep(pause.ms, signal)
  }
}

/** Returns the system error code of the innermost cause, such as `ECONNREFUSED`; null if it has none. */
function codeOf(error: unknown): string | null {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown }
  if (cause !== undefined) return codeOf(cause)
  return typeof code === 'string' ? code : null
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
