// Sends requests to the service: waits, retries, pages, and translates errors for n8n.

import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type IPollFunctions,
  type JsonObject,
  NodeApiError,
  sleep,
} from 'n8n-workflow'

/** What n8n passes to a node or to a trigger. */
export type Context = IExecuteFunctions | IPollFunctions

export const CREDENTIAL = 'storeExportApi'
/** Number of rows of a page: the maximum of the API. */
export const ROWS_PER_PAGE = 250

const REQUEST_TIMEOUT_MS = 60_000
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 502, 503, 504])
const ATTEMPTS_MAX = 8
/** Longest wait between two attempts. The limit of requests starts again each minute. */
const WAIT_MAX_SECONDS = 60
/** Longest wait of all attempts together. n8n expects a poll to end within five minutes. */
const TOTAL_WAIT_MAX_SECONDS = 180

export type Query = Readonly<Record<string, string | number>>

/** The headers and the parsed body of a response. The body is a page of a list, or one row. */
export interface StoreResponse {
  readonly body: { readonly data: IDataObject | IDataObject[]; readonly meta?: { readonly next_cursor: string | null } }
  readonly headers: Readonly<Record<string, string | undefined>>
}

export interface Page {
  readonly rows: IDataObject[]
  readonly cursor: string | null
  readonly headers: StoreResponse['headers']
}

interface FullResponse {
  readonly statusCode: number
  readonly headers: StoreResponse['headers']
  readonly body: unknown
}

/** Returns a page. The filters must be the same for each page. Rejects like `get`, and if the body is not a page. */
export async function getPage(context: Context, path: string, query: Query): Promise<Page> {
  const { body, headers } = await get(context, path, query)
  const { data, meta } = body
  // A list without a cursor would look like a last page, and an incomplete list of IDs like deleted rows.
  if (!Array.isArray(data) || meta?.next_cursor === undefined) throw unknownResponse(context, 200)
  return { rows: data, cursor: meta.next_cursor, headers }
}

/** Returns every row of a list, or the first `maximum` rows. */
export async function getRows(context: Context, path: string, query: Query, maximum: number): Promise<IDataObject[]> {
  const rows: IDataObject[] = []
  let cursor: string | null = ''
  while (cursor !== null && rows.length < maximum) {
    const page: Page = await getPage(context, path, { ...query, ...(cursor === '' ? {} : { cursor }) })
    rows.push(...page.rows)
    cursor = page.cursor
  }
  return rows.slice(0, maximum)
}

/**
 * Returns a response with status 200. Waits and tries again after a failed connection and after `RETRIED_STATUSES`: at
 * most `ATTEMPTS_MAX` attempts, with waits of at most 180 seconds in total. Then, and after any other response, rejects
 * with `NodeApiError`. Its description is the service's error code, if there is one. Also rejects if the service
 * ignored a filter.
 */
export async function get(context: Context, path: string, query: Query = {}): Promise<StoreResponse> {
  const { url } = await context.getCredentials<{ url: string }>(CREDENTIAL)
  const options: IHttpRequestOptions = {
    method: 'GET',
    url: url.replace(/\/+$/, '') + path,
    qs: query,
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    // n8n would send the key to the new address, too.
    disableFollowRedirect: true,
    timeout: REQUEST_TIMEOUT_MS,
  }
  let waited = 0
  for (let attempt = 1; ; attempt++) {
    const response = await send(context, options)
    if (!(response instanceof Error) && response.statusCode === 200) {
      checkIgnored(context, response)
      const body = response.body as StoreResponse['body'] | null
      if (typeof body?.data !== 'object' || body.data === null) throw unknownResponse(context, response.statusCode)
      return { body, headers: response.headers }
    }
    const seconds = secondsToWait(response, attempt)
    waited += seconds ?? 0
    if (seconds === null || attempt === ATTEMPTS_MAX || waited > TOTAL_WAIT_MAX_SECONDS)
      throw apiError(context, response)
    await sleep(seconds * 1000)
  }
}

async function send(context: Context, options: IHttpRequestOptions): Promise<FullResponse | Error> {
  try {
    return (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options)) as FullResponse
  } catch (error) {
    // The service did not respond. Connections that fail are tried again.
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Returns the seconds before the next attempt, or null if another attempt can't succeed. */
function secondsToWait(response: FullResponse | Error, attempt: number): number | null {
  const doubled = Math.min(WAIT_MAX_SECONDS, 2 ** (attempt - 1))
  if (response instanceof Error) return doubled
  if (!RETRIED_STATUSES.has(response.statusCode)) return null
  const asked = Number(response.headers['retry-after'])
  return asked > 0 ? Math.min(WAIT_MAX_SECONDS, asked) : doubled
}

function apiError(context: Context, response: FullResponse | Error): NodeApiError {
  const node = context.getNode()
  if (response instanceof Error)
    return new NodeApiError(node, response as unknown as JsonObject, {
      message: `The service did not respond: ${response.message}`,
    })
  const { statusCode, headers, body } = response
  const error = (body as { error?: { code?: string; message?: string } } | null)?.error
  if (typeof error?.message === 'string')
    return new NodeApiError(node, error as JsonObject, {
      message: error.message,
      description: error.code ?? '',
      httpCode: String(statusCode),
    })
  if (headers.location === undefined) return unknownResponse(context, statusCode)
  const message = `The URL of the credential redirects to ${headers.location}. The node doesn't send the key to other addresses. Enter the address of the service in the credential, usually with https.`
  return new NodeApiError(node, {}, { message, httpCode: String(statusCode) })
}

/** Returns the error for a response that the service does not send. */
function unknownResponse(context: Context, statusCode: number): NodeApiError {
  const message = `The response with status ${statusCode} is not from the export service, but from a proxy or another program. Check the URL of the credential.`
  return new NodeApiError(context.getNode(), {}, { message, httpCode: String(statusCode) })
}

/** Throws if the service does not know a parameter: the response then has rows that the filter excludes. */
function checkIgnored(context: Context, { headers }: FullResponse): void {
  const ignored = headers['x-ignored-params']
  if (ignored === undefined) return
  const message = `The service does not know these filters: ${ignored}. Upgrade the service, or remove the filters.`
  throw new NodeApiError(context.getNode(), {}, { message })
}

/** Whether the service rejected the cursor of a page. */
export function isInvalidCursor(error: unknown): boolean {
  return error instanceof NodeApiError && error.description === 'INVALID_CURSOR'
}
