// One call of the service, with its waits and retries. It holds the key, and gives it to nobody but the service.

import { addressErrorMessage } from './address-error-message.ts'
import { AddressError, ConnectionError } from './errors.ts'
import { PagedList, type RowsPage } from './paged-list.ts'
import { type RateLimit, rateLimitOf } from './rate-limit.ts'
import { RequestPacer } from './request-pacer.ts'
import { type CompleteResponse, responseObject, responsePage } from './response.ts'
import { type Pause, retryPause } from './retry.ts'

/** What every call takes. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A pause that the client makes, for whoever shows progress. */
export interface ClientPause {
  /** `pace`: its own spreading of requests. `limit`: the service asked for it. `fault`: before another attempt. */
  readonly reason: Pause['reason'] | 'pace'
  readonly ms: number
  /** What went wrong; absent for a pace. */
  readonly error?: unknown
}

/** An answer, for whoever shows progress. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number
  /** null where the answer does not say. */
  readonly limit: RateLimit | null
}

/** What a client is made with, besides address and key. */
export interface CallerOptions {
  /** How long one call may go on with waits and attempts, in ms; 120,000 unless said, 0 for one attempt. */
  readonly retryForMs?: number
  /** How long a refused connection is retried before the first response, in ms; at most `retryForMs`, the default. */
  readonly retryRefusedForMs?: number
  /** How long one attempt may take, in ms; 30,000 unless said. */
  readonly attemptTimeoutMs?: number
  /** At most so many requests a minute, evenly spread, for a key that other tools use, too; no bound of its own unless said. */
  readonly requestsPerMinute?: number
  /** Hears of each pause. */
  readonly onPause?: (pause: ClientPause) => void
  /** Hears of each answer of the service, errors included, and how much of the limit is left after it. */
  readonly onResponse?: (answer: ResponseInfo) => void
  /** In place of JSON.parse, for a program that keeps numbers which a double rounds; throws where a text is no JSON. */
  readonly parse?: (text: string) => unknown
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Waits, in place of a timer; rejects when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number
  /** 0 to 1, for the spreading of attempts. */
  readonly random?: () => number
}

type ListQuery = CallOptions & Readonly<Record<string, unknown>>

const RETRY_FOR_MS = 120_000
const ATTEMPT_TIMEOUT_MS = 30_000
const DEFAULT_LIMIT = 250

/** Calls one service with one key. */
export class Caller {
  readonly #url: string
  readonly #key: string
  readonly #settings: CallerOptions
  readonly #pacer: RequestPacer | null
  /** After the first response the address is known to be right: later failures are temporary. */
  #hasResponded = false

  /** `url` has no slash at its end. */
  constructor(url: string, key: string, settings: CallerOptions) {
    this.#url = url
    this.#key = key
    this.#settings = settings
    this.#pacer = settings.requestsPerMinute === undefined ? null : new RequestPacer(settings.requestsPerMinute)
  }

  /** The object at `path`. */
  object<Row>(path: string, options: CallOptions): Promise<Row> {
    return this.#call(path, options, responseObject<Row>)
  }

  /** All rows at `path`, which has no pages. */
  async rows<Row>(path: string, options: CallOptions): Promise<Row[]> {
    return [...(await this.#call(path, options, responsePage<Row>)).rows]
  }

  /** The list of rows at `path`, in large pages unless said; `options` besides signal and cursor are its query. */
  list<Row>(path: string, { limit = DEFAULT_LIMIT, ...options }: ListQuery): PagedList<Row> {
    return this.idList(path, { limit, ...options })
  }

  /** The list at `path`; `options` besides signal and cursor are its query. */
  idList<Row>(path: string, options: ListQuery): PagedList<Row> {
    const { signal, cursor, ...parameters } = options
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) query.set(snake(name), textOf(value))
    const call = signal === undefined ? {} : { signal }
    const read = (place: string | null): Promise<RowsPage<Row>> => {
      const whole = new URLSearchParams(query)
      if (place !== null) whole.set('cursor', place)
      return this.#call(whole.size === 0 ? path : `${path}?${whole}`, call, responsePage<Row>)
    }
    return new PagedList(read, typeof cursor === 'string' ? cursor : null)
  }

  async #call<T>(path: string, { signal }: CallOptions, read: (answer: CompleteResponse) => T): Promise<T> {
    const { now = () => performance.now(), random = Math.random } = this.#settings
    let startedAt = now()
    for (let attempt = 1; ; attempt += 1) {
      // waiting for its turn is no part of the time for retries
      startedAt += await this.#waitForTurn(now, signal)
      try {
        return read(await this.#attempt(path, signal))
      } catch (error) {
        signal?.throwIfAborted()
        const pause = retryPause(error, attempt, random())
        if (pause === null || now() + pause.ms > startedAt + this.#retryForMs(error)) throw error
        await this.#pause({ ...pause, error }, signal)
      }
    }
  }

  #retryForMs(error: unknown): number {
    const { retryForMs = RETRY_FOR_MS, retryRefusedForMs = retryForMs } = this.#settings
    const isRefused = error instanceof ConnectionError && error.code === 'ECONNREFUSED'
    return isRefused && !this.#hasResponded ? Math.min(retryForMs, retryRefusedForMs) : retryForMs
  }

  async #waitForTurn(now: () => number, signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted()
    const ms = this.#pacer?.reserve(now()) ?? 0
    if (ms === 0) return ms
    await this.#pause({ reason: 'pace', ms }, signal).catch((reason: unknown) => {
      // a call that was given up needs its place no more
      this.#pacer?.release()
      throw reason
    })
    return ms
  }

  async #attempt(path: string, signal: AbortSignal | undefined): Promise<CompleteResponse> {
    const { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, parse = JSON.parse } = this.#settings
    const limit = AbortSignal.timeout(Math.ceil(attemptTimeoutMs))
    const { response, text } = await this.#fetchText(path, signal, limit, attemptTimeoutMs)
    const { status, headers } = response
    this.#hasResponded = true
    this.#settings.onResponse?.({ status, limit: rateLimitOf(headers) })
    return { status, headers, text, parse }
  }

  /** A response, read to its end. `limit` is aborted when the attempt has taken too long. */
  async #fetchText(
    path: string,
    signal: AbortSignal | undefined,
    limit: AbortSignal,
    attemptTimeoutMs: number,
  ): Promise<{ response: Response; text: string }> {
    const { fetch = globalThis.fetch } = this.#settings
    try {
      const response = await fetch(this.#url + path, {
        headers: { 'x-api-key': this.#key, accept: 'application/json' },
        // a key must not follow to wherever an address leads
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      return { response, text: await response.text() }
    } catch (cause) {
      if (limit.aborted)
        throw new ConnectionError(`no complete response from ${this.#url}: none within ${attemptTimeoutMs} ms`, {
          cause,
        })
      throw this.#connectionError(cause)
    }
  }

  #connectionError(cause: unknown): ConnectionError {
    const code = codeOf(cause)
    const shown = code === null ? '' : ` (${code})`
    const fault = this.#hasResponded ? null : addressErrorMessage(code)
    if (fault !== null) return new AddressError(`${this.#url}: ${fault}${shown}`, { cause, code })
    return new ConnectionError(`no complete response from ${this.#url}: the connection failed or was cut${shown}`, {
      cause,
      code,
    })
  }

  #pause(pause: ClientPause, signal: AbortSignal | undefined): Promise<void> {
    const { onPause, sleep = wait } = this.#settings
    onPause?.(pause)
    return sleep(pause.ms, signal)
  }
}

/** The system's error code, such as `ECONNREFUSED`. The innermost cause has it. */
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
