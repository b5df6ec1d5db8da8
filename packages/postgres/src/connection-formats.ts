// The format in which a server is asked to send values. postgres.js 3.4.9 asks for text always: its message that binds a
// statement is changed on its way out.
// https://www.postgresql.org/docs/current/protocol-message-formats.html

const BIND = 'B'.charCodeAt(0)
/** First bytes of the messages that a client sends; the very first message, of the startup, has none. */
const TYPES: ReadonlySet<number> = new Set(Buffer.from('BCDEFHPQSXcdfp', 'latin1'))
/** How a message ends that asks for text: a count of formats, zero. */
const NO_FORMATS_BYTES = 2
/** One format for all columns: binary. */
const ALL_BINARY = Buffer.from([0, 1, 0, 1])

/** Whole messages of the driver, so that each that binds a statement asks for binary values. */
export function askForBinary(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let done = 0
  for (let at = 0; at < bytes.length && TYPES.has(bytes[at] as number); ) {
    const end = at + 1 + bytes.readUInt32BE(at + 1)
    if (bytes[at] === BIND) {
      const head = Buffer.from(bytes.subarray(at, at + 5))
      head.writeUInt32BE(end - at - 1 - NO_FORMATS_BYTES + ALL_BINARY.length, 1)
      parts.push(bytes.subarray(done, at), head, bytes.subarray(at + 5, end - NO_FORMATS_BYTES), ALL_BINARY)
      done = end
    }
    at = end
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)])
}
