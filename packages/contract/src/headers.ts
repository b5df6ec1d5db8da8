// The response headers a client can use: what each says and when it is there.

/** A response header as declared. */
export interface HeaderDeclaration {
  readonly note: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string | number
  /** On every answer, to a request with a valid key, that lists rows, or on some as the note says. */
  readonly on: 'every answer' | 'answers to a valid key' | 'every list' | 'as the note says'
}

const REQUESTS_HEADER = 'draft-ietf-httpapi-ratelimit-headers'

/** Every header that is described, by its name in lower case. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    note: 'Names this request in the logs of the service; give it when you report a problem.',
    schema: { type: 'string' },
    example: '0199d0a3-5c1e-7b44-8f0a-2f6f1c9b7e10',
    on: 'every answer',
  },
  'content-length': {
    note: 'Length of the body in bytes, always there: a body that is shorter was cut on its way.',
    schema: { type: 'integer', minimum: 0 },
    example: 18_342,
    on: 'every answer',
  },
  'ratelimit-policy': {
    note: `The limit of the key: q requests in w seconds (${REQUESTS_HEADER}).`,
    schema: { type: 'string' },
    example: '"minute";q=120;w=60',
    on: 'answers to a valid key',
  },
  ratelimit: {
    note: `What is left of it: r requests, t seconds until the next minute (${REQUESTS_HEADER}).`,
    schema: { type: 'string' },
    example: '"minute";r=117;t=42',
    on: 'answers to a valid key',
  },
  'x-sync-watermark': {
    note: 'Send it in your next run as the parameter that `x-sync-parameter` names, and you miss no change. It is the same on every page of a list. Save it after you have written the whole list.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-07-08T10:15:30.123Z',
    on: 'every list',
  },
  'x-sync-parameter': {
    note: 'Name of the parameter for the watermark in your next run: `updated_since`, or `created_since` for customers of a store that does not track their updates. Absent for lists without such a parameter: read these whole.',
    schema: { type: 'string' },
    example: 'updated_since',
    on: 'as the note says',
  },
  'x-ignored-params': {
    note: 'Query parameters of the request that this endpoint does not have, percent-encoded and separated by commas; absent when there are none.',
    schema: { type: 'string' },
    example: 'page,order_by',
    on: 'as the note says',
  },
  'retry-after': {
    note: 'Whole seconds to wait before the next attempt: 1 to 60 with status 429, 30 with 409, 1 to 5 with 502.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
    example: 17,
    on: 'as the note says',
  },
  'www-authenticate': {
    note: 'With status 401: where the key belongs.',
    schema: { type: 'string' },
    example: 'ApiKey realm="store data export", header="x-api-key"',
    on: 'as the note says',
  },
  allow: {
    note: 'With status 405: the methods there are.',
    schema: { type: 'string' },
    example: 'GET, HEAD',
    on: 'as the note says',
  },
} as const satisfies Record<string, HeaderDeclaration>

/** Name of a described header. */
export type HeaderName = keyof typeof RESPONSE_HEADERS
