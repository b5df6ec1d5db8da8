// The encoding a client asks for, and a body in it: off the event loop, and whole, so that its length can be sent.

import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Encodings we send, the preferred one first. */
const ENCODINGS = ['br', 'gzip'] as const

/** Name of an encoding. */
export type Encoding = (typeof ENCODINGS)[number]

/** Bodies below this many bytes fit one packet anyway. */
const COMPRESSED_BYTES_MIN = 1024

const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)

/** The encoding for a body of `bytes` that the header `accept-encoding` asks for, or null for none. */
export function chooseEncoding(acceptEncoding: string, bytes: number): Encoding | null {
  if (bytes < COMPRESSED_BYTES_MIN) return null
  const weights = new Map(acceptEncoding.split(',').map(readWeight))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const plain = weights.get('identity') ?? 0
  const asked = ENCODINGS.filter((name) => weightOf(name) > 0 && weightOf(name) >= plain)
  const [best] = asked.sort((a, b) => weightOf(b) - weightOf(a))
  return best ?? null
}

/** The body in an encoding, at its lowest level: JSON repeats its keys, so the first level gives most of the effect. */
export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzip(body, { level: 1 })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants
  return brotli(body, { params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_SIZE_HINT]: body.length } })
}

function readWeight(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
  const weight = parameters.find((text) => text.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
