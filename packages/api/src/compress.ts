// The encoding a client asks for, and a body in it: off the event loop, and whole, so that its length can be sent.

import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Encodings we send, the preferred one first: of a page zstd takes the least time and makes the fewest bytes. */
const ENCODINGS = ['zstd', 'br', 'gzip'] as const

/** Name of an encoding. */
export type Encoding = (typeof ENCODINGS)[number]

/** Bodies below this many bytes fit one packet anyway. */
const COMPRESSED_BYTES_MIN = 1024

const zstd = promisify(zlib.zstdCompress)
const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)

/** The encoding for a body of `bytes` that the header `accept-encoding` asks for, or null for none. */
export function negotiateEncoding(acceptEncoding: string, bytes: number): Encoding | null {
  if (bytes < COMPRESSED_BYTES_MIN) return null
  const weights = new Map(acceptEncoding.split(',').map(readWeight))
  // who takes "anything" means what everybody can read, and zstd is young
  const weightOf = (name: Encoding) => weights.get(name) ?? (name === 'zstd' ? 0 : (weights.get('*') ?? 0))
  const plain = weights.get('identity') ?? 0
  const asked = ENCODINGS.filter((name) => weightOf(name) > 0 && weightOf(name) >= plain)
  const [best] = asked.sort((a, b) => weightOf(b) - weightOf(a))
  return best ?? null
}

/** The body in an encoding, at its first level: JSON repeats its keys, so that one gives most of the effect. */
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

function readWeight(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
  const weight = parameters.find((text) => text.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
