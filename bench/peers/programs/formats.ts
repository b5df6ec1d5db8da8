// Implements the formats of the service's responses, for the hand-written peers: timestamps in UTC truncated to
// milliseconds, and the nine keys of an address in their order. Cursors have a simpler format.

/** An address, as the store has it or as the API returns it. A stored address can lack keys. */
export type Address = Readonly<Record<string, unknown>>

/** A position in the list of orders: after the row with this creation time, to the microsecond, and this ID. */
export interface Position {
  readonly createdAt: string
  readonly id: string
}

/** Returns PostgreSQL's text of a timestamptz in UTC as ISO 8601, truncated to milliseconds. */
export function isoTimestamp(text: string): string {
  // The text is like 2024-11-01 03:15:53.959376+00. It can have a T, and fewer digits or none after the point.
  const end = text.indexOf('+', 19)
  const fraction = text.slice(20, Math.min(end, 23)).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}

/** Returns an address with exactly the keys of the contract, null for a missing key; null for null. */
export function addressOf(stored: Address | null): Address | null {
  if (stored === null) return null
  const { firstName = null, lastName = null, line1 = null, line2 = null, city = null } = stored
  const { state = null, postalCode = null, country = null, phone = null } = stored
  return { firstName, lastName, line1, line2, city, state, postalCode, country, phone }
}

/** Returns the cursor of the page after `position`. */
export function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}

const POSITION = /^(\S+[ T]\S+) ([0-9a-f-]{36})$/

/**
 * Returns the position of `cursor`; null if it doesn't have the shape that `cursorOf` writes. Doesn't check the time.
 */
export function positionOf(cursor: string): Position | null {
  const [, createdAt, id] = POSITION.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return createdAt === undefined || id === undefined ? null : { createdAt, id }
}
