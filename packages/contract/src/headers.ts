// Declares the response headers that the documentation lists. Others, such as `content-type`, work as usual in HTTP.

/** A documented response header, and the responses that have it. */
export interface HeaderDeclaration {
  readonly note: string
  /** JSON Schema of the value. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string | number
  /** The responses that have the header. For `some responses`, the note says which. */
  readonly on:
    | 'every response'
    | 'every response to a valid key'
    | 'every response that read the store'
    | 'every list'
    | 'some responses'
}

const RATE_LIMIT_DRAFT = 'draft-ietf-httpapi-ratelimit-headers'

/** The documented headers by name, in lower case. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    note: 'The ID of this request in the logs of the service. Include it when you report a problem. To choose the ID yourself, send this header in the request, with 1 to 128 letters, digits, and the characters `._:/+-`. If your ID has other characters or looks like a secret, the service creates an ID.',
    schema: { type: 'string' },
    example: '0199d0a3-5c1e-7b44-8f0a-2f6f1c9b7e10',
    on: 'every response',
  },
  traceparent: {
    note: 'The trace context of the request (W3C Trace Context). The logs of the service contain it, too. Absent if the request has no valid `traceparent`.',
    schema: { type: 'string' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    on: 'some responses',
  },
  'content-length': {
    note: 'Length of the body in bytes. If you receive fewer bytes, the body was truncated. Send the request again.',
    schema: { type: 'integer', minimum: 0 },
    example: 18_342,
    on: 'every response',
  },
  link: {
    note: 'Links to other documents (RFC 8288), with addresses relative to the service. `rel="next"` is the next page of a list, with the filters of the request. The last page of a list has no such link. `rel="help"` is the page that explains an error.',
    schema: { type: 'string' },
    example: '</api/v1/orders?limit=250&cursor=…>; rel="next"',
    on: 'every response',
  },
  'ratelimit-policy': {
    note: `The rate limit of the key: \`q\` requests in \`w\` seconds (${RATE_LIMIT_DRAFT}).`,
    schema: { type: 'string' },
    example: '"minute";q=120;w=60',
    on: 'every response to a valid key',
  },
  ratelimit: {
    note: `The requests that are left: \`r\` requests in this minute, and \`t\` seconds until the next minute (${RATE_LIMIT_DRAFT}).`,
    schema: { type: 'string' },
    example: '"minute";r=117;t=42',
    on: 'every response to a valid key',
  },
  'ratelimit-remaining': {
    note: 'The number of requests that are left in this minute, for tools that do not parse `ratelimit`.',
    schema: { type: 'integer', minimum: 0 },
    example: 117,
    on: 'every response to a valid key',
  },
  'x-sync-watermark': {
    note: 'The watermark: the timestamp for your next sync. Save it after you have written the whole list. In your next sync, send it as the parameter that `x-sync-parameter` names. The list then has only the rows that changed. All pages of a list have the same watermark.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-07-08T10:15:30.123Z',
    on: 'every list',
  },
  'x-sync-parameter': {
    note: 'The name of the parameter for the watermark: `updated_since` or `created_since`. It is `created_since` for customers of a store that does not track updates of customers. If this header is absent, read the whole list in each sync.',
    schema: { type: 'string' },
    example: 'updated_since',
    on: 'some responses',
  },
  'x-store-schema': {
    note: 'The schema version of the store. `missing` names up to ten columns of this version that the service cannot read. `more` is the number of further missing columns.',
    schema: { type: 'string' },
    example: 'v1.6; missing="orders.metafields"',
    on: 'every response that read the store',
  },
  'x-store-fields': {
    note: 'A digest: a short code that changes if a field of this resource becomes available or unavailable, for example after an upgrade of the store. An upgrade does not change the `updated_at` of old rows. If the digest changes, read the whole list again without `updated_since`.',
    schema: { type: 'string' },
    example: '2f1b0c5d9e8a7346',
    on: 'every response that read the store',
  },
  'x-ignored-params': {
    note: 'The query parameters that the service ignored, because this endpoint does not have them. Up to ten names, percent-encoded and separated by commas. Each name is cut at 64 characters. Absent if the service ignored no parameter.',
    schema: { type: 'string' },
    example: 'page,order_by',
    on: 'some responses',
  },
  'retry-after': {
    note: 'The number of seconds to wait before the next attempt. With status 429: 1 to 60. With 409: 30. With 502: 1 to 5.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
    example: 17,
    on: 'some responses',
  },
  'www-authenticate': {
    note: 'With status 401: the header that must contain the key.',
    schema: { type: 'string' },
    example: 'ApiKey realm="store data export", header="x-api-key"',
    on: 'some responses',
  },
  'x-required-scope': {
    note: 'With status 404: the scope that the key lacks. Absent if the path or the row does not exist.',
    schema: { type: 'string' },
    example: 'customers:read',
    on: 'some responses',
  },
  allow: {
    note: 'With status 405: the methods that the service accepts.',
    schema: { type: 'string' },
    example: 'GET, HEAD',
    on: 'some responses',
  },
} as const satisfies Record<string, HeaderDeclaration>

/** Name of a documented header, in lower case. */
export type HeaderName = keyof typeof RESPONSE_HEADERS
