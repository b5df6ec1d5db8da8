// A message as a PostgreSQL server sends it.

/** A message of `type`, a letter, that says it has `length` bytes, those of the length itself counted. */
export function serverMessage(type: string, length: number, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, body])
}
