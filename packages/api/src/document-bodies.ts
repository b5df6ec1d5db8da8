// Bodies of documents, each made and encoded once: who needs no key costs neither the time nor the memory of a copy.

import { compress, type Encoding } from './compress.ts'
import type { ReferenceRoute } from './reference/reference-route.ts'

/** Documents in every encoding that was asked for. */
export class DocumentBodies {
  readonly #plain = new WeakMap<ReferenceRoute, Promise<Buffer>>()
  readonly #encoded = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>()

  /** The body of a document, always the same buffer. */
  of(document: ReferenceRoute): Promise<Buffer> {
    return cached(this.#plain, document, async () => {
      const body = await (typeof document.body === 'function' ? document.body() : document.body)
      const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body)
      this.#encoded.set(buffer, new Map())
      return buffer
    })
  }

  /** Any body in an encoding; that of a document is kept. */
  encode(body: Buffer, encoding: Encoding): Promise<Buffer> {
    const encoded = this.#encoded.get(body)
    return encoded === undefined ? compress(body, encoding) : cached(encoded, encoding, () => compress(body, encoding))
  }
}

/** The methods that a map and a weak map share. */
interface Cache<Name, Value> {
  get(name: Name): Value | undefined
  set(name: Name, value: Value): unknown
  delete(name: Name): unknown
}

/** What was made before, or is made now; what failed is made again. */
function cached<Name, Value>(
  made: Cache<Name, Promise<Value>>,
  name: Name,
  make: () => Promise<Value>,
): Promise<Value> {
  const before = made.get(name)
  if (before !== undefined) return before
  const value = make()
  made.set(name, value)
  value.catch(() => made.delete(name))
  return value
}
