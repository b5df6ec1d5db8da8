// The limits of the service: those that the specification names, and that of our own additions.

/** The limits: requests in a clock minute and key, rows of a page, active keys of a store. */
export const LIMITS = {
  requestsPerMinute: 120,
  pageRowsMin: 1,
  pageRowsMax: 250,
  pageRowsDefault: 50,
  /** Rows of a page of ids, always: forty pages of rows in one request, and less than a megabyte of JSON. */
  pageRowsOfIds: 10_000,
  activeKeysPerStore: 5,
} as const

/** What every key begins with; the secret part follows. */
export const KEY_PREFIX = 'sdx_'
