// A page of the reference as plain data, so that any server can answer with it; and the headers all of them share.

/** A document that needs no key and counts for none (R2). */
export interface ReferenceRoute {
  readonly path: string
  readonly contentType: string
  /** Headers besides `content-type`, `content-length` and `cache-control`, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, or how to get it where it is large and seldom asked for; asked again, it gives the same one. */
  readonly body: string | Buffer | (() => Promise<Buffer>)
  readonly cacheControl: string
  /** The document for a client that reached the service at `origin`; null if the path is unknown. */
  readonly at?: (origin: string | null) => ReferenceRoute
}

/** Documents change with a release only, but then at once. */
export const REVALIDATED = 'no-cache'
/** The script of the docs page is the same for as long as its dependency is. */
export const CACHED_FOR_A_DAY = 'public, max-age=86400'

/** A document that is data: never run, framed or sniffed. */
export function dataRoute(path: string, contentType: string, body: string): ReferenceRoute {
  return { path, contentType, headers: headersWith("default-src 'none'"), body, cacheControl: REVALIDATED }
}

/** Headers of every document, with the content security policy `policy`. */
export function headersWith(policy: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}
