// Compresses responses in the thread pool, because compression of a page in the event loop would delay all other
// requests. The header `accept-encoding` chooses the encoding.

import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Supported encodings, preferred first. For a page, zstd is the fastest, and its result is the smallest. */
const ENCODINGS = ['zstd', 'br', 'gzip'] as const

/** Value of the header `content-encoding`. */
export type Encoding = (typeof ENCODINGS)[number]

/** Minimum size of a body to compress. Smaller bodies fit into one network packet without compression. */
const COMPRESSED_BYTES_MIN = 1024

const zstd = promisify(zlib.zstdCompress)
const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)

/**
 * Returns the encoding for a body of `bytes` bytes, from the header `accept-encoding`. Returns null if the client
 * accepts no supported encoding or prefers an uncompressed body, or if the body is smaller than 1 KiB.
 */
export function negotiateEncoding(acceptEncoding: string, bytes: number): Encoding | null {
  if (bytes < COMPRESSED_BYTES_MIN) return null
  const weights = new Map(acceptEncoding.split(',').map(readWeight))
  // `*` does not include zstd: many clients that send it cannot decode zstd.
  const weightOf = (name: Encoding) => weights.get(name) ?? (name === 'zstd' ? 0 : (weights.get('*') ?? 0))
  const plain = weights.get('identity') ?? 0
  const accepted = ENCODINGS.filter((name) => weightOf(name) > 0 && weightOf(name) >= plain)
  const [best] = accepted.sort((a, b) => weightOf(b) - weightOf(a))
  return best ?? null
}

/** Returns the compressed body. The compression level is 1: JSON repeats its keys, so higher levels save little. */
export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  const { ZSTD_c_compressionLevel, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants
  switch (encoding) {
    case 'zstd':
      return zstd(body, { params: { [ZSTD_c_compressionLevel]: 1 }, pledgedSrcSize: body.length })
    case 'br':
      return brotli(body, { params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_SIZE_HINT]: body.length } })
    case 'gzip':
      return gzip(body, { level: 1 })
  }
}

/** Returns an encoding and its weight: 1 by default, and 0 for an invalid number. */
function readWeight(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
  const weight = parameters.find((text) => text.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
