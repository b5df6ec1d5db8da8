// Reads the body of POST and PUT: a SCIM user.

import {
  DIRECTORY_ROLE_DEFAULT,
  type DirectoryUserChange,
  type MemberRole,
  type NewDirectoryUser,
} from '@store-export/control'
import { parseActive, parseAttributes, parseExternalId, parseRoles, parseUserName } from './parse-attributes.ts'

/** What a PUT or a PATCH changes, and the email address in its body; null if the body has none. */
export interface UserReplacement {
  readonly email: string | null
  readonly change: DirectoryUserChange
}

/**
 * Returns what a PUT changes. An attribute that the body does not have stays as it is, because directories leave out
 * attributes that their administrators did not map. Throws `ScimError` for an invalid value.
 */
export function parseReplacement(body: unknown): UserReplacement {
  const attributes = parseAttributes(body, 'the body')
  const has = (name: string) => attributes.has(name)
  return {
    email: has('username') ? parseUserName(attributes.get('username')) : null,
    change: {
      ...(has('externalid') ? { externalId: parseExternalId(attributes.get('externalid')) } : {}),
      ...(has('active') ? { isActive: parseActive(attributes.get('active')) } : {}),
      ...(has('roles') ? { roleAfter: always(parseRoles(attributes.get('roles'))) } : {}),
    },
  }
}

/** Returns the user of a POST. Throws `ScimError` for an invalid value, and without a `userName`. */
export function parseNewUser(body: unknown): NewDirectoryUser {
  const { email, change } = parseReplacement(body)
  const { externalId = null, isActive = true, roleAfter = always(DIRECTORY_ROLE_DEFAULT) } = change
  // Throws the error of a missing `userName`.
  return { email: email ?? parseUserName(null), externalId, isActive, role: roleAfter(DIRECTORY_ROLE_DEFAULT) }
}

/** Returns the change that gives this role to each user. */
export function always(role: MemberRole): (before: MemberRole) => MemberRole {
  return () => role
}
