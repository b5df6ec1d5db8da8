// What the service says of the limit with each answer: `ratelimit-policy` and `ratelimit` of the IETF's draft.

/** The limit of the key. */
export interface RateLimit {
  /** Requests in a window. */
  readonly requests: number
  /** Seconds of a window. */
  readonly windowSeconds: number
  /** Requests that are left in this window, of every program that uses the key. */
  readonly remaining: number
  /** Seconds until the next window. */
  readonly resetSeconds: number
}

/** The limit as an answer says it; null where it does not. */
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

function numberOf(text: string, name: string): number {
  return Number(new RegExp(`;\\s*${name}=(\\d{1,9})`).exec(text)?.[1])
}
