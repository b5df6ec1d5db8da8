// Reads the attributes of a SCIM user that the service uses. It ignores all others, such as names and phone numbers,
// because directories send them by default. Names of attributes are case-insensitive (RFC 7643, section 2.1).

import {
  DIRECTORY_ROLE_DEFAULT,
  findMemberRole,
  InvalidEmailError,
  MEMBER_ROLES,
  type MemberRole,
  parseEmail,
} from '@store-export/control'
import { ScimError } from './scim-error.ts'

/** The members of a JSON object by their name in lower case. */
export type Attributes = ReadonlyMap<string, unknown>

/** Returns the members of a JSON object. Throws `ScimError` for another value; `what` is its name in the message. */
export function parseAttributes(value: unknown, what: string): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ScimError(400, `${what}: must be a JSON object`, { type: 'invalidSyntax' })
  return new Map(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]))
}

/** Returns the email address in a `userName`, in lower case. Throws `ScimError` if it is not an email address. */
export function parseUserName(value: unknown): string {
  try {
    if (typeof value === 'string') return parseEmail(value)
  } catch (error) {
    if (!(error instanceof InvalidEmailError)) throw error
  }
  throw new ScimError(400, 'userName: must be the email address with which the person signs in', {
    type: 'invalidValue',
  })
}

const EXTERNAL_ID = /^[^\p{Cc}]{1,255}$/u

/**
 * Returns an `externalId`: a string of 1 to 255 characters without control characters, or null. Throws `ScimError` for
 * any other value.
 */
export function parseExternalId(value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string' && EXTERNAL_ID.test(value)) return value
  throw new ScimError(400, 'externalId: must be a string of 1 to 255 characters', { type: 'invalidValue' })
}

/** Returns the value of `active`. Some directories send it as a string. Throws `ScimError` for another value. */
export function parseActive(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw new ScimError(400, 'active: must be true or false', { type: 'invalidValue' })
}

/**
 * Returns the role of `roles`: the known role with the most rights. Null and an empty array give the default role.
 * Throws `ScimError` if none of the roles is known.
 */
export function parseRoles(value: unknown): MemberRole {
  const values = value === null ? [] : Array.isArray(value) ? value : [value]
  if (values.length === 0) return DIRECTORY_ROLE_DEFAULT
  const named = values.map(roleOf)
  // `MEMBER_ROLES` begins with the role that has the most rights, so this finds the strongest one.
  const role = MEMBER_ROLES.find((each) => named.includes(each))
  if (role !== undefined) return role
  throw new ScimError(400, `roles: must be one of ${MEMBER_ROLES.join(', ')}`, { type: 'invalidValue' })
}

/**
 * Returns the role of one value: a string, an object with `value`, or the text of such an object; null for another
 * string or value. Throws `ScimError` for an array.
 */
function roleOf(value: unknown): MemberRole | null {
  if (typeof value === 'object' && value !== null) return roleOf(parseAttributes(value, 'roles').get('value') ?? '')
  if (typeof value !== 'string') return null
  return findMemberRole(value.trim().toLowerCase()) ?? (value.startsWith('{') ? roleInJson(value) : null)
}

/**
 * Returns the role in the text of a JSON object, as Microsoft Entra ID sends an app role; null for another text. Reads
 * only the spelling `value`, which Entra ID uses.
 */
function roleInJson(text: string): MemberRole | null {
  try {
    const { value } = JSON.parse(text) as { readonly value?: unknown }
    return typeof value === 'string' ? findMemberRole(value.trim().toLowerCase()) : null
  } catch {
    return null
  }
}
