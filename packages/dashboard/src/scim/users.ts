// Handles requests of a directory for the users of a store.

import {
  addDirectoryUser,
  changeDirectoryUser,
  DIRECTORY_ADDITIONS_PER_DAY,
  DIRECTORY_USERS_MAX,
  type DirectoryRefusal,
  type DirectoryUser,
  listDirectoryUsers,
  readDirectoryUser,
  removeDirectoryUser,
} from '@store-export/control'
import { listResponse, selectAttributes, userLocation, userResource } from './documents.ts'
import { type ScimRequest, unauthorized } from './handle-request.ts'
import { parsePatch } from './parse-patch.ts'
import { parseUsersQuery } from './parse-query.ts'
import { parseNewUser, parseReplacement, type UserReplacement } from './parse-user.ts'
import { ScimError, type ScimResponse } from './scim-error.ts'

/**
 * GET /scim/v2/Users?filter=userName eq "…"&startIndex=1&count=100: returns a page of users. Without a filter, these
 * are all members, and the users whose access the directory has ended.
 */
export async function listUsers(request: ScimRequest): Promise<ScimResponse> {
  const { services, storeId, context } = request
  const { filter, startIndex, count } = parseUsersQuery((name) => context.req.query(name))
  const options = { database: services.database, storeId, filter, offset: startIndex - 1, limit: count }
  const { users, total } = await listDirectoryUsers(options)
  const resources = users.map((user) => shown(request, user))
  return { status: 200, body: listResponse(resources, { total, startIndex }) }
}

/**
 * POST /scim/v2/Users: adds a user. Like every change, throws `ScimError` for an invalid body, and if the store refuses
 * the change (`DirectoryRefusal`).
 */
export async function addUser(request: ScimRequest): Promise<ScimResponse> {
  const { services, storeId, tokenId, base, body } = request
  const user = await addDirectoryUser(services.database, { storeId, tokenId }, parseNewUser(body))
  if (typeof user === 'string') throw refusal(user)
  return { status: 201, body: shown(request, user), headers: { location: userLocation(user.id, base) } }
}

/** GET /scim/v2/Users/{id}: returns a user. Throws `ScimError` (404) if the store has none with this ID. */
export async function readUser(request: ScimRequest): Promise<ScimResponse> {
  return { status: 200, body: shown(request, await userOf(request)) }
}

/**
 * PUT /scim/v2/Users/{id}: changes the attributes that the body has; the others stay. Another `userName` is an error
 * (400).
 */
export async function replaceUser(request: ScimRequest): Promise<ScimResponse> {
  return changeUser(request, await userOf(request), parseReplacement(request.body))
}

/** PATCH /scim/v2/Users/{id}: applies the operations of the body, all or none. Another `userName` is an error (400). */
export async function patchUser(request: ScimRequest): Promise<ScimResponse> {
  return changeUser(request, await userOf(request), parsePatch(request.body))
}

/** DELETE /scim/v2/Users/{id}: removes a user. */
export async function removeUser(request: ScimRequest): Promise<ScimResponse> {
  const { services, storeId, tokenId } = request
  const outcome = await removeDirectoryUser(services.database, { storeId, tokenId, id: idOf(request) })
  if (outcome !== 'removed') throw refusal(outcome)
  return { status: 204, body: null }
}

async function changeUser(
  request: ScimRequest,
  { id, email }: DirectoryUser,
  { email: wanted, change }: UserReplacement,
): Promise<ScimResponse> {
  const { services, storeId, tokenId } = request
  if (wanted !== null && wanted !== email)
    throw new ScimError(
      400,
      "userName: can't be changed, because it is the account of the person; remove the person from the application and add them again",
      { type: 'mutability' },
    )
  const user = await changeDirectoryUser(services.database, { storeId, tokenId, id }, change)
  if (typeof user === 'string') throw refusal(user)
  return { status: 200, body: shown(request, user) }
}

async function userOf(request: ScimRequest): Promise<DirectoryUser> {
  const { services, storeId } = request
  const user = await readDirectoryUser(services.database, { storeId, id: idOf(request) })
  if (user === null) throw refusal('unknown')
  return user
}

function idOf({ context }: ScimRequest): string {
  return context.req.param('user') ?? ''
}

function shown({ context, base }: ScimRequest, user: DirectoryUser): Readonly<Record<string, unknown>> {
  return selectAttributes(
    userResource(user, base),
    context.req.query('attributes'),
    context.req.query('excludedAttributes'),
  )
}

/** Seconds after which a directory may try again if the store has reached its limit for a UTC day. */
const RETRY_SECONDS = 3600

function refusal(reason: DirectoryRefusal): ScimError {
  switch (reason) {
    case 'revoked':
      return unauthorized()
    case 'unknown':
      return new ScimError(404, 'no user of this store has this ID')
    case 'exists':
      return new ScimError(409, 'a user of this store has this userName already', { type: 'uniqueness' })
    case 'external ID taken':
      return new ScimError(409, 'another user of this store has this externalId', { type: 'uniqueness' })
    case 'last admin':
      return new ScimError(409, 'this person is the only admin of the store; first make another member an admin')
    case 'full':
      return new ScimError(403, `the store has ${DIRECTORY_USERS_MAX} users, which is the maximum`)
    case 'day limit': {
      const message = `the store has added ${DIRECTORY_ADDITIONS_PER_DAY} users today (UTC), which is the maximum; try again tomorrow`
      return new ScimError(429, message, { headers: { 'retry-after': String(RETRY_SECONDS) } })
    }
  }
}
