/** The limits of the API. */
export const LIMITS = {
  /** Requests per key and one-minute window, unless the operator sets another limit. */
  requestsPerMinute: 120,
  pageRowsMin: 1,
  pageRowsMax: 250,
  pageRowsDefault: 50,
  /** Rows of a full page of IDs. One page replaces 40 pages of 250 rows, and its JSON is smaller than a megabyte. */
  pageRowsOfIds: 10_000,
  activeKeysPerStore: 5,
} as const
