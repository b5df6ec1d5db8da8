/** The limits of the API, for the service and the documentation. */
export const LIMITS = {
  /** Requests per key and one-minute window, unless the operator sets another limit. */
  requestsPerMinute: 120,
  pageRowsMin: 1,
  pageRowsMax: 250,
  pageRowsDefault: 50,
  /** Rows of a full page of IDs. One page replaces 40 pages of 250 rows, and its JSON is smaller than a megabyte. */
  pageRowsOfIds: 10_000,
  /** Keys per store that are not revoked and not expired, including keys that are turned off. */
  activeKeysPerStore: 5,
} as const
