// Reads the state of the key's rate limit from the headers of a response: `ratelimit-policy` and `ratelimit`
// (draft-ietf-httpapi-ratelimit-headers).

/** State of the key's rate limit when the service sent a response. */
export interface RateLimit {
  /** Requests per window. */
  readonly requests: number
  /** Length of a window in seconds. */
  readonly windowSeconds: number
  /** Remaining requests in this window. All programs with the same key share them. */
  readonly remaining: number
  /** Seconds until the next window. */
  readonly resetSeconds: number
}

/** Returns the rate limit from the headers of a response; null if they are missing or invalid. */
export function rateLimitOf(headers: Headers): RateLimit | null {
  const policy = headers.get('ratelimit-policy') ?? ''
  const state = headers.get('ratelimit') ?? ''
  const limit = {
    requests: numberOf(policy, 'q'),
    windowSeconds: numberOf(policy, 'w'),
    remaining: numberOf(state, 'r'),
    resetSeconds: numberOf(state, 't'),
  }
  return Object.values(limit).some(Number.isNaN) ? null : limit
}

/**
 * Returns the parameter `name` of a header value such as `"minute";q=120;w=60`; NaN without a number of 1 to 9 digits.
 */
function numberOf(text: string, name: string): number {
  return Number(new RegExp(`;\\s*${name}=(\\d{1,9})`).exec(text)?.[1])
}
