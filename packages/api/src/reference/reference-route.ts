// The documents of the service as plain data: the HTML pages, OpenAPI documents, guides, and files for crawlers. They
// need no key and read no store, so the server finds them by their path and skips the pipeline.

/**
 * A document of the service at a fixed path. A request for it does not count for a key (R2 in docs/spec/readings.md).
 */
export interface ReferenceRoute {
  readonly path: string
  readonly contentType: string
  /** Headers besides `content-type`, `content-length`, `cache-control`, and `vary`. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The body, or a function that returns it on request. The function returns the same body for each call. If it rejects
   * with an `ApiError`, the client gets this error.
   */
  readonly body: string | Buffer | (() => Promise<Buffer>)
  readonly cacheControl: string
  /**
   * Returns the document for one request, if it is not the same for every request: it can depend on the address that
   * the client used (`origin`; null if unknown) or on the day (security-text.ts). Absent for a fixed document.
   */
  readonly at?: (origin: string | null) => ReferenceRoute
}

/**
 * Value of `cache-control` for documents that a release can change. Clients check for a new version with each request.
 */
export const REVALIDATED = 'no-cache'
/** Value of `cache-control` for the script of the docs page, which changes only with its dependency. */
export const CACHED_FOR_A_DAY = 'public, max-age=86400'

/** Returns a document that contains data. Browsers must not run, frame, or sniff it. */
export function dataRoute(path: string, contentType: string, body: string): ReferenceRoute {
  return { path, contentType, headers: headersWith("default-src 'none'"), body, cacheControl: REVALIDATED }
}

/** Returns the headers of a document with the content security policy `policy`. */
export function headersWith(policy: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}
