// Finds values in the JSON bytes of rows without parsing them into objects. A row can have megabytes, so these
// functions do not recurse, and they yield regularly. After a yield, `TimeSlicer` lets the process do other work.

/** A job in small steps. It yields each time that the process may do other work, and returns its result. */
export type Steps<T> = Generator<void, T>

/** The offsets of a value in the bytes. `end` is the offset after the value. */
export interface Span {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** First byte of `null`. No other JSON value begins with it. */
const LETTER_N = 0x6e
const LETTER_U = 0x75
/** Number of bytes between two yields. They take about a millisecond on a slow machine. */
const STEP_BYTES = 65_536

/**
 * Returns the members of the object that begins at `start`, by name, and the offset after the object. The object must
 * be from the engine, which writes no spaces.
 */
export function* membersOf(bytes: Uint8Array, start: number): Steps<{ members: Map<string, Span>; end: number }> {
  const members = new Map<string, Span>()
  let at = start + 1
  while (bytes[at] === QUOTE || bytes[at] === COMMA) {
    const nameStart = bytes[at] === COMMA ? at + 1 : at
    const nameEnd = yield* endOfValue(bytes, nameStart)
    const end = yield* endOfValue(bytes, nameEnd + 1)
    members.set(String(JSON.parse(textOf(bytes, { start: nameStart, end: nameEnd }))), { start: nameEnd + 1, end })
    at = end
  }
  return { members, end: at + 1 }
}

/**
 * Calls `use` with the start and the index of each element of the array at `start`. `use` returns the offset after the
 * element. Doesn't call `use` if `start` is the length of the bytes.
 */
export function* eachElement(
  bytes: Uint8Array,
  start: number,
  use: (start: number, index: number) => Steps<number>,
): Steps<void> {
  let at = start + 1
  for (let index = 0; bytes[at] !== CLOSE_ARRAY && at < bytes.length; index++) {
    const end = yield* use(at, index)
    at = bytes[end] === COMMA ? end + 1 : end
    yield
  }
}

/** Returns the offset after the value that begins at `start`. */
export function* endOfValue(bytes: Uint8Array, start: number): Steps<number> {
  let depth = 0
  let inText = false
  let pauseAt = start + STEP_BYTES
  for (let at = start; at < bytes.length; at++) {
    if (at >= pauseAt) {
      pauseAt = at + STEP_BYTES
      yield
    }
    const byte = bytes[at]
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) {
        inText = false
        if (depth === 0) return at + 1
      }
    } else if (byte === QUOTE) inText = true
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      // A number, true, false or null ends where its container ends.
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (byte === COMMA && depth === 0) return at
  }
  return bytes.length
}

/** Returns the bytes as text. A JSON string includes its quotes and escapes. */
export function textOf(bytes: Uint8Array, { start, end }: Span): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}

/** Whether the value is a JSON string. */
export function isString(bytes: Uint8Array, { start }: Span): boolean {
  return bytes[start] === QUOTE
}

/** Whether the value is JSON's null or absent. The type predicate lets callers use the span of any other value. */
export function isNull(bytes: Uint8Array, span: Span | undefined): span is undefined {
  return span === undefined || bytes[span.start] === LETTER_N
}

/**
 * Returns the largest offset up to `end` that does not split a character, an escape sequence, or a surrogate pair of
 * escape sequences. `start` must be such an offset.
 */
export function cutBefore(bytes: Uint8Array, { start, end }: Span): number {
  let at = end
  while (at > start && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  // An escape sequence has up to six bytes. It begins at a backslash that follows an even number of backslashes.
  for (let back = at - 1; back >= Math.max(start, at - 6); back--) {
    if (bytes[back] !== BACKSLASH || !isOdd(backslashesUpTo(bytes, start, back))) continue
    const end = back + (bytes[back + 1] === LETTER_U ? 6 : 2)
    const splits = end > at || (end === at && isFirstOfPair(bytes, back))
    return splits ? cutBefore(bytes, { start, end: back }) : at
  }
  return at
}

/** Whether the escape sequence is the first half of a surrogate pair: `\ud800` to `\udbff`. */
function isFirstOfPair(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === LETTER_U && /^d[89ab]/i.test(textOf(bytes, { start: at + 2, end: at + 4 }))
}

function backslashesUpTo(bytes: Uint8Array, start: number, last: number): number {
  let at = last
  while (at >= start && bytes[at] === BACKSLASH) at--
  return last - at
}

function isOdd(count: number): boolean {
  return count % 2 === 1
}
