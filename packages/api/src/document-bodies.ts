// Creates the body of each document once, and compresses it once for each encoding. Requests for documents must be
// cheap, because they need no key and have no rate limit.

import { compress, type Encoding } from './compress.ts'
import type { ReferenceRoute } from './reference/reference-route.ts'

/** Caches the body of each document, uncompressed and in each encoding. */
export class DocumentBodies {
  // Weak, so that the bodies of replaced documents are freed (origin-documents.ts, security-text.ts).
  readonly #plain = new WeakMap<ReferenceRoute, Promise<Buffer>>()
  readonly #encoded = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>()

  /**
   * Returns the body of a document: the same buffer for each call. Rejects like `document.body`; the next call then
   * calls it again.
   */
  of(document: ReferenceRoute): Promise<Buffer> {
    return cached(this.#plain, document, async () => {
      const body = await (typeof document.body === 'function' ? document.body() : document.body)
      const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body)
      this.#encoded.set(buffer, new Map())
      return buffer
    })
  }

  /** Returns `body` compressed. Caches the result if `body` comes from `of`. */
  encode(body: Buffer, encoding: Encoding): Promise<Buffer> {
    const encoded = this.#encoded.get(body)
    return encoded === undefined ? compress(body, encoding) : cached(encoded, encoding, () => compress(body, encoding))
  }
}

/** The methods that `cached` needs from a Map or a WeakMap. */
interface Cache<Name, Value> {
  get(name: Name): Value | undefined
  set(name: Name, value: Value): unknown
  delete(name: Name): unknown
}

/** Returns the cached value, or creates it. The cache does not store failures. */
function cached<Name, Value>(
  cache: Cache<Name, Promise<Value>>,
  name: Name,
  create: () => Promise<Value>,
): Promise<Value> {
  const before = cache.get(name)
  if (before !== undefined) return before
  const value = create()
  cache.set(name, value)
  value.catch(() => cache.delete(name))
  return value
}
