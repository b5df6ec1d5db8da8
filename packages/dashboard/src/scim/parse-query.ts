// Reads the query of a list of users: a filter and a page. The filter finds one user by an exact value, as directories
// do before they add a user. It becomes a bound value of the statement. A parser of all filters would be a way to send
// costly queries. See docs/contribute/decisions/086-manage-members-from-a-directory.md.

import type { DirectoryUserFilter } from '@store-export/control'
import { ScimError } from './scim-error.ts'

/** Number of users of a page, at most and by default. */
export const USERS_PER_PAGE = 200

/** The users to return. */
export interface UsersQuery {
  readonly filter: DirectoryUserFilter | null
  /** Index of the first user, from 1. A lower index in the URL counts as 1. */
  readonly startIndex: number
  /** Maximum number of users, from 0 to 200. A number in the URL outside of this range counts as the nearest one. */
  readonly count: number
}

/** Returns the query of a URL. Throws `ScimError` for an invalid one. */
export function parseUsersQuery(query: (name: string) => string | undefined): UsersQuery {
  const filter = query('filter')
  return {
    filter: filter === undefined ? null : parseFilter(filter),
    startIndex: Math.max(1, parseInteger('startIndex', query('startIndex'), 1)),
    count: Math.min(USERS_PER_PAGE, Math.max(0, parseInteger('count', query('count'), USERS_PER_PAGE))),
  }
}

function parseInteger(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text)
  throw new ScimError(400, `${name}: must be a whole number`, { type: 'invalidValue' })
}

const FILTER =
  /^\s*(?:urn:ietf:params:scim:schemas:core:2\.0:User:)?([a-z.]+(?:\[type eq "work"\]\.value)?)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i

const ATTRIBUTES: Readonly<Record<string, DirectoryUserFilter['attribute']>> = {
  id: 'id',
  username: 'email',
  emails: 'email',
  'emails.value': 'email',
  'emails[type eq "work"].value': 'email',
  externalid: 'externalId',
}

function parseFilter(text: string): DirectoryUserFilter {
  const [, name = '', quoted = ''] = FILTER.exec(text) ?? []
  const key = name.toLowerCase()
  const attribute = Object.hasOwn(ATTRIBUTES, key) ? ATTRIBUTES[key] : undefined
  const value = unquoted(quoted)
  if (attribute === undefined || value === null)
    throw new ScimError(
      400,
      'filter: must be like userName eq "name@shop.example"; externalId, emails, and id work too',
      {
        type: 'invalidFilter',
      },
    )
  // PostgreSQL stores no NUL character, so no user has such a value.
  const known = value.replaceAll('\0', '\uFFFD')
  return { attribute, value: attribute === 'email' ? known.trim().toLowerCase() : known }
}

function unquoted(quoted: string): string | null {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
