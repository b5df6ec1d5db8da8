// Builds messages as a PostgreSQL server sends them.

/** Returns a message of `type`, a letter. `length` is the announced length; by default the real one. */
export function message(type: string, body: Buffer | string = '', length?: number): Buffer {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(length ?? bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

/** Returns an authentication request of this kind. */
export function authentication(kind: number, data: Buffer | string = ''): Buffer {
  return message('R', Buffer.concat([int32(kind), Buffer.from(data)]))
}

/** Returns ReadyForQuery. `state` is I without a transaction, T in one, and E in a failed one. */
export function ready(state = 'I'): Buffer {
  return message('Z', state)
}

/** Returns a row with these values. `count` is the announced number of values; by default the real one. */
export function dataRow(values: readonly (string | null)[], count = values.length): Buffer {
  const parts = values.flatMap((value) =>
    value === null ? [int32(-1)] : [int32(Buffer.byteLength(value)), Buffer.from(value)],
  )
  return message('D', Buffer.concat([int16(count), ...parts]))
}

/** Returns the description of columns with these names. `type` is the OID of their type; by default that of `text`. */
export function columns(names: readonly string[], type = 25): Buffer {
  const parts = names.flatMap((name) => [
    Buffer.from(`${name}\0`),
    Buffer.concat([Buffer.alloc(6), int32(type), Buffer.alloc(8)]),
  ])
  return message('T', Buffer.concat([int16(names.length), ...parts]))
}

export function completed(tag = 'SELECT 1'): Buffer {
  return message('C', `${tag}\0`)
}

/** Returns an error with these fields, by letter. */
export function failure(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(fields).map(([letter, value]) => `${letter}${value}\0`)
  return message('E', `${text.join('')}\0`)
}

/** The fields of the error with which a server that shuts down ends a connection. */
export const FATAL = { S: 'FATAL', V: 'FATAL', C: '57P01', M: 'terminating connection' } as const

/** Messages of a server that trusts the client: accepted, a cancel key, ready. */
export const WELCOME = Buffer.concat([authentication(0), message('K', Buffer.alloc(8, 1)), ready()])

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
