/** The limits of the API. `requestsPerMinute` applies to each key and one-minute window. */
export const LIMITS = {
  requestsPerMinute: 120,
  pageRowsMin: 1,
  pageRowsMax: 250,
  pageRowsDefault: 50,
  /** Rows of every page of IDs. One request replaces 40 pages of rows, and its JSON is smaller than a megabyte. */
  pageRowsOfIds: 10_000,
  activeKeysPerStore: 5,
} as const
