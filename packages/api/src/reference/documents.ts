// The documents served without a key, as plain data.

/** A document served at a path of its own. */
export interface ReferenceDocument {
  readonly path: string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
  readonly cacheControl: string
}

/** Every document of the reference. */
export function referenceDocuments(_options: { readonly tryIt: boolean }): ReferenceDocument[] {
  return []
}
