// Generates the pages of a list of any length. Each page is a page of the service with other IDs and timestamps. Equal
// IDs within a page stay equal, so embedded rows stay with their parents.

/** The two hexadecimal digits of each byte. */
const HEX = Uint16Array.from({ length: 256 }, (_, byte) => {
  const text = byte.toString(16).padStart(2, '0')
  return text.charCodeAt(0) | (text.charCodeAt(1) << 8)
})
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const STAMP = /"(?:created_at|updated_at)":"(\d{4}-\d\d-\d\dT\d\d:\d\d)/dg
/** Offsets of an ID's bytes within its text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
/** Bytes that contain the version and the variant. */
const FIXED = new Set([6, 8])
const BYTES = PLACES.length
const FIRST_INSTANT = Date.UTC(2016, 0, 1)
const MINUTE_MS = 60_000
const MINUTE_LENGTH = 16

/** A page from which other pages are generated. */
export class PageTemplate {
  /** Number of rows of the page, including embedded rows. */
  readonly rows: number
  readonly #body: Buffer
  readonly #ids: readonly { readonly at: number; readonly bytes: Uint8Array }[]
  readonly #stamps: readonly number[]

  /** `text` is the body of a response. */
  constructor(text: string) {
    const { data } = JSON.parse(text) as { data: Record<string, unknown>[] }
    this.rows = data.reduce((sum, row) => sum + 1 + childrenOf(row), 0)
    this.#body = Buffer.from(text.slice(0, text.lastIndexOf(',"meta":')))
    // With latin1, offsets in the text equal those in the bytes.
    const bytes = this.#body.toString('latin1')
    this.#ids = [...bytes.matchAll(UUID)].map(({ 0: id, index }) => ({ at: index, bytes: bytesOf(id) }))
    this.#stamps = [...bytes.matchAll(STAMP)].map(({ indices }) => indices?.[1]?.[0] ?? 0)
  }

  /** Returns the body of page `index`. `next` is the cursor of the page after it, or null on the last page. */
  make(index: number, next: string | null): Buffer {
    const cursor = next === null ? 'null' : `"${next}"`
    const end = Buffer.from(`,"meta":{"next_cursor":${cursor},"has_more":${next !== null}}}`)
    const page = Buffer.concat([this.#body, end])
    const mask = maskOf(index)
    for (const { at, bytes } of this.#ids)
      for (let i = 0; i < BYTES; i += 1)
        page.writeUInt16LE(HEX[(bytes[i] ?? 0) ^ (mask[i] ?? 0)] ?? 0, at + (PLACES[i] ?? 0))
    const minute = new Date(FIRST_INSTANT + index * MINUTE_MS).toISOString().slice(0, MINUTE_LENGTH)
    for (const at of this.#stamps) page.write(minute, at, 'latin1')
    return page
  }
}

/** Returns the number of embedded rows in a row: those that have an ID. */
function childrenOf(row: Record<string, unknown>): number {
  const lists = Object.values(row).filter((value) => Array.isArray(value))
  return lists.flat().filter((each) => typeof each === 'object' && each !== null && 'id' in each).length
}

function bytesOf(id: string): Uint8Array {
  return Uint8Array.from(PLACES, (place) => Number.parseInt(id.slice(place, place + 2), 16))
}

/** Returns a mask that looks random, but is the same for the same page. It is 0 for the first page. */
function maskOf(index: number): Uint8Array {
  const mask = new Uint8Array(BYTES)
  let state = index
  for (let i = 0; i < BYTES; i += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + index
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    mask[i] = FIXED.has(i) ? 0 : state >>> 24
  }
  return mask
}
