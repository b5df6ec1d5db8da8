// Defines what the nodes know about a resource of the contract.

export interface StoreFilter {
  readonly name: string
  readonly description: string
  /** `windowEnd` accepts a time or `now`. */
  readonly kind: 'time' | 'windowEnd' | 'choice'
  readonly choices: readonly string[]
}

/** A resource with the paths of its endpoints. A path is null if the API has no such endpoint. */
export interface StoreResource {
  readonly value: string
  readonly name: string
  readonly plural: string
  readonly listPath: string | null
  /** Path of one row. It contains `{id}`, except for a resource with one row. */
  readonly onePath: string | null
  /** Path of the list of IDs. */
  readonly idsPath: string | null
  readonly filters: readonly StoreFilter[]
}
