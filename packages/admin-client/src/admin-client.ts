// Calls the admin API, and repeats calls that failed temporarily. generated/admin-methods.ts has the method for each
// route, which calls `send` or `sendLines`. Every POST has an Idempotency-Key, so a repetition after a lost connection
// makes no second change. The other methods need no key, because a repetition changes nothing more.

import { AdminApiError, AdminConnectionError } from './errors.ts'
import { AdminMethods, type Problem } from './generated/admin-methods.ts'
import type { BatchRequest, RequestDescription } from './request.ts'

/** Where the admin API is, and how the client reaches it. */
export interface AdminClientOptions {
  /** Address of the admin API, such as http://127.0.0.1:9091. */
  readonly url: string
  /** A token that `store-export admin-tokens create` printed. */
  readonly token: string
  /**
   * Time in ms after which the client stops repeating a call; a minute by default. 0 repeats nothing. In a batch, the
   * time starts again after each interrupted response.
   */
  readonly retryForMs?: number
  /** The function that sends requests; the global `fetch` by default. Pass another one for client certificates. */
  readonly fetch?: typeof fetch
  /** Waits `ms`; a timer by default. Rejects when the signal is aborted. Tests pass another one. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Maximum number of lines of one batch. */
const BATCH_LINES_MAX = 1000
const NDJSON_TYPE = 'application/x-ndjson'
const RETRY_FOR_MS = 60_000
/** Maximum number of responses to a batch, one after the other, that end without a new result. */
const FRUITLESS_MAX = 3
/** First pause before a repetition. Each further pause is twice as long, up to `PAUSE_MS_MAX`. */
const PAUSE_MS_MIN = 500
const PAUSE_MS_MAX = 10_000

/**
 * A client of the admin API. Its methods reject with `AdminApiError` or `AdminConnectionError`, or with the reason of
 * an aborted signal.
 */
export class AdminClient extends AdminMethods {
  readonly #options: AdminClientOptions

  constructor(options: AdminClientOptions) {
    super()
    this.#options = options
  }

  protected override async send<T>({ method, path, body, query = {}, options }: RequestDescription): Promise<T> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
    const address = search.size === 0 ? path : `${path}?${search}`
    const json = body === undefined ? {} : { body: JSON.stringify(body), contentType: 'application/json' }
    const key = method === 'POST' ? { idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() } : {}
    const request = { method, address, ...json, ...key }
    return this.#repeat(options.signal, async () => {
      const response = await this.#fetch(request, options.signal)
      return (await response.json().catch(incomplete)) as T
    })
  }

  /**
   * Sends the lines in batches, and yields the result of each in their order. `line` is the number of the line, from 1.
   * If the connection breaks, sends the batch again, and continues with the first result that is missing. The
   * Idempotency-Key of a batch is `idempotencyKey` with the number of the batch.
   */
  protected override async *sendLines<T extends { readonly line: number }>(request: BatchRequest): AsyncGenerator<T> {
    const { path: address, options } = request
    const all = [...request.lines]
    const key = options.idempotencyKey ?? crypto.randomUUID()
    for (let first = 0; first < all.length; first += BATCH_LINES_MAX) {
      const lines = all.slice(first, first + BATCH_LINES_MAX).map((line) => JSON.stringify(line))
      const idempotencyKey = `${key}-${first / BATCH_LINES_MAX}`
      const batch = { method: 'POST', address, body: lines.join('\n'), contentType: NDJSON_TYPE, idempotencyKey }
      for await (const result of this.#batch<T>(batch, lines.length, options.signal))
        yield { ...result, line: first + result.line }
    }
  }

  /**
   * Sends one batch until the results of all its lines have arrived. A repetition has the same Idempotency-Key, so its
   * response begins again with the first result.
   */
  async *#batch<T>(request: WireRequest, lines: number, signal: AbortSignal | undefined): AsyncGenerator<T> {
    let [seen, fruitless] = [0, 0]
    while (seen < lines) {
      const response = await this.#repeat(signal, () => this.#fetch(request, signal))
      const before = seen
      let cause: unknown = null
      let line = 0
      try {
        for await (const text of linesOf(response)) {
          line += 1
          // The results up to `seen` are those of an interrupted response.
          if (line <= seen) continue
          seen = line
          yield JSON.parse(text) as T
        }
      } catch (error) {
        signal?.throwIfAborted()
        cause = error
      }
      fruitless = seen > before ? 0 : fruitless + 1
      const mustEnd = fruitless === FRUITLESS_MAX || this.#options.retryForMs === 0
      if (seen < lines && mustEnd) incomplete(cause)
    }
  }

  /** Repeats `work` while its error is temporary, for up to `retryForMs`. */
  async #repeat<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const { retryForMs = RETRY_FOR_MS, sleep = wait } = this.#options
    const endsAt = performance.now() + retryForMs
    for (let pause = PAUSE_MS_MIN; ; pause = Math.min(2 * pause, PAUSE_MS_MAX)) {
      try {
        return await work()
      } catch (error) {
        signal?.throwIfAborted()
        if (!isTemporary(error) || performance.now() + pause > endsAt) throw error
        await sleep(pause, signal)
      }
    }
  }

  async #fetch(request: WireRequest, signal: AbortSignal | undefined): Promise<Response> {
    const { url, token, fetch: send = fetch } = this.#options
    const { method, address, body, contentType, idempotencyKey } = request
    const response = await send(url.replace(/\/+$/, '') + address, {
      method,
      // The API sends no redirects, and another server must not get the token.
      redirect: 'error',
      headers: {
        authorization: `Bearer ${token}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((cause: unknown) => {
      throw new AdminConnectionError(`the admin API at ${url} cannot be reached`, { cause })
    })
    if (response.ok) return response
    const problem = (await response.json().catch(incomplete)) as Problem
    throw new AdminApiError(problem, response.headers.get('x-request-id'))
  }
}

/** A request as `fetch` gets it. `address` is the path with the query. */
interface WireRequest {
  readonly method: string
  readonly address: string
  readonly body?: string
  readonly contentType?: string
  readonly idempotencyKey?: string
}

/** Whether the same request can succeed later. After a lost connection, its first attempt can still be running. */
function isTemporary(error: unknown): boolean {
  if (error instanceof AdminConnectionError) return true
  return error instanceof AdminApiError && (error.status === 503 || error.code === 'request-running')
}

/** Throws the error for a response that ended early or is not JSON. */
function incomplete(cause: unknown): never {
  throw new AdminConnectionError('the response of the admin API is not complete', { cause })
}

/** Returns the complete lines of a response while they arrive. Drops an incomplete line at its end. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
