// Stores JSON that is the same in every row, such as field names and null, as words of eight bytes. Writing a word
// takes as long as writing a byte.

const WORD_BYTES = 8

/** JSON text that consists of printable ASCII characters. */
export interface JsonLiteral {
  /** Length of the text in bytes, without padding. */
  readonly length: number
  /**
   * The text as little-endian numbers of eight bytes, padded with zeros. A JavaScript engine may change the bits of a
   * NaN, but ASCII text never has the bits of a NaN.
   */
  readonly words: Float64Array
}

/** Returns `text` as a literal. Throws `TypeError` if it is not printable ASCII. */
export function jsonLiteral(text: string): JsonLiteral {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new TypeError(`not plain ASCII: ${JSON.stringify(text)}`)
  const bytes = new Uint8Array(Math.ceil(text.length / WORD_BYTES) * WORD_BYTES)
  bytes.set(Buffer.from(text, 'latin1'))
  const view = new DataView(bytes.buffer)
  const words = Float64Array.from({ length: bytes.length / WORD_BYTES }, (_, i) =>
    view.getFloat64(i * WORD_BYTES, true),
  )
  return { length: text.length, words }
}
