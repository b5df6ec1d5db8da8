// The formats of the service's answers, for the peers that are written by hand: instants in UTC cut to milliseconds, the
// nine keys of an address in their order, and the place in a list as an opaque text.

/** An address as it is served. */
export type Address = Readonly<Record<string, unknown>>

/** A place in the list of orders: behind the row with this creation time, to the microsecond, and this id. */
export interface Place {
  readonly createdAt: string
  readonly id: string
}

/** What PostgreSQL writes for a timestamptz in UTC, as ISO 8601 with milliseconds: cut, never rounded. */
export function instantOf(text: string): string {
  // 2024-11-01 03:15:53.959376+00, or with a T, or with fewer digits or none behind the point
  const end = text.indexOf('+', 19)
  const fraction = text.slice(20, Math.min(end, 23)).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}

/** An address with the keys that the contract names, null where it lacks one. */
export function addressOf(stored: Address | null): Address | null {
  if (stored === null) return null
  const { firstName = null, lastName = null, line1 = null, line2 = null, city = null } = stored
  const { state = null, postalCode = null, country = null, phone = null } = stored
  return { firstName, lastName, line1, line2, city, state, postalCode, country, phone }
}

/** The text that a client passes back for the page behind `place`. */
export function cursorOf({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}

const PLACE = /^(\S+[ T]\S+) ([0-9a-f-]{36})$/

/** The place that `cursor` names; null where it names none. */
export function placeOf(cursor: string): Place | null {
  const [, createdAt, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return createdAt === undefined || id === undefined ? null : { createdAt, id }
}
