// Declares the OpenAPI extensions from which the generators of Speakeasy and Fern create pagination code. Speakeasy's
// generator also creates code for retries from them.

import type { Contract } from './contract.ts'
import { errorStatusesOf } from './errors.ts'
import type { OpenApiObject } from './openapi-schema.ts'

/** Members that an operation has if it returns one page of a list. */
export const PAGINATION: OpenApiObject = {
  // The member `results` is absent on purpose. With it, Speakeasy's clients would stop at an empty page, and more rows
  // can follow an empty page.
  'x-speakeasy-pagination': {
    type: 'cursor',
    inputs: [{ name: 'cursor', in: 'parameters', type: 'cursor' }],
    outputs: { nextCursor: '$.meta.next_cursor' },
  },
  'x-fern-pagination': {
    cursor: '$request.cursor',
    next_cursor: '$response.meta.next_cursor',
    results: '$response.data',
  },
}

/** Statuses with which a proxy in front of the service reports a temporary failure. */
const PROXY_STATUSES = [503, 504]

/**
 * Returns the value of `x-speakeasy-retries`, with times in ms. It contains the declared statuses whose `retry` begins
 * with "Yes", and the statuses of proxies. Generated clients wait for the seconds in `Retry-After` if there are any.
 */
export function retriesOf({ errors }: Contract): OpenApiObject {
  const retried = Object.values(errors)
    .flatMap(errorStatusesOf)
    .filter(({ retry }) => retry.startsWith('Yes'))
  const statuses = new Set([...retried.map(({ status }) => status), ...PROXY_STATUSES])
  return {
    strategy: 'backoff',
    backoff: { initialInterval: 500, maxInterval: 60_000, maxElapsedTime: 3_600_000, exponent: 2 },
    statusCodes: [...statuses].sort((a, b) => a - b).map(String),
    retryConnectionErrors: true,
  }
}
