// Creates UUIDs from random bytes, and recognizes UUIDs. The source of the bytes is an argument, so that tests can pass
// known bytes.

/**
 * Returns `size` bytes. Usually, this is `randomBytes` of node:crypto. The dashboard passes bytes that it derives from
 * a form token, so that a form that is sent twice creates one key or directory token.
 */
export type RandomBytes = (size: number) => Buffer

/** Returns a version 4 UUID (RFC 9562) in lower case. */
export function randomUuid(random: RandomBytes): string {
  const bytes = random(16)
  // The high bits of byte 6 are the version, 4. The high bits of byte 8 are the variant of RFC 9562.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Whether the string is a UUID in its canonical form, in upper or lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
