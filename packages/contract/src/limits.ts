// The limits of the service that the specification names.

/** The limits: requests in a clock minute and key, rows of a page, active keys of a store. */
export const LIMITS = {
  requestsPerMinute: 120,
  pageRowsMin: 1,
  pageRowsMax: 250,
  pageRowsDefault: 50,
  activeKeysPerStore: 5,
} as const

/** What every key begins with; the secret part follows. */
export const KEY_PREFIX = 'sdx_'
