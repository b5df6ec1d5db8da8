// Caches the bodies of documents. Documents need no key, so a client must not cause work or memory with each request.

import { compress, type Encoding } from './compress.ts'
import type { ReferenceRoute } from './reference/reference-route.ts'

/** Cached bodies of documents, by encoding. */
export class DocumentBodies {
  readonly #plain = new WeakMap<ReferenceRoute, Promise<Buffer>>()
  readonly #encoded = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>()

  /** Returns the body of a document. It is the same buffer for each call. */
  of(document: ReferenceRoute): Promise<Buffer> {
    return cached(this.#plain, document, async () => {
      const body = await (typeof document.body === 'function' ? document.body() : document.body)
      const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body)
      this.#encoded.set(buffer, new Map())
      return buffer
    })
  }

  /** Compresses a body. The result is cached if the body belongs to a document. */
  encode(body: Buffer, encoding: Encoding): Promise<Buffer> {
    const encoded = this.#encoded.get(body)
    return encoded === undefined ? compress(body, encoding) : cached(encoded, encoding, () => compress(body, encoding))
  }
}

/** The methods of both Map and WeakMap. */
interface Cache<Name, Value> {
  get(name: Name): Value | undefined
  set(name: Name, value: Value): unknown
  delete(name: Name): unknown
}

/** Returns the cached value, or creates it. A failure is not cached. */
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
