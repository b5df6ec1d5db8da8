// JSON that is the same in every row: names of fields, null, true. Kept as words of eight bytes, since storing eight at once
// takes as long as storing one.

const WORD_BYTES = 8

/** ASCII text that is JSON already, ready to be put. */
export interface Prepared {
  /** In bytes. */
  readonly length: number
  /** The text, with zeros up to a whole word. As doubles: none is a NaN, whose bits an engine may change. */
  readonly words: Float64Array
}

/** Prepares `text`; throws where it is not ASCII. */
export function prepare(text: string): Prepared {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new TypeError(`not plain ASCII: ${JSON.stringify(text)}`)
  const bytes = new Uint8Array(Math.ceil(text.length / WORD_BYTES) * WORD_BYTES)
  bytes.set(Buffer.from(text, 'latin1'))
  const view = new DataView(bytes.buffer)
  const words = Float64Array.from({ length: bytes.length / WORD_BYTES }, (_, i) =>
    view.getFloat64(i * WORD_BYTES, true),
  )
  return { length: text.length, words }
}
