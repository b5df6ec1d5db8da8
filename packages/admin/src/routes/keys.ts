// The routes of API keys.

import {
  ALL_PERMISSIONS,
  type ChangeablePermissions,
  changePermissions,
  createKey,
  getKey,
  type KeySummary,
  keyJson,
  listKeys,
  permissionsJson,
  type RegistryContext,
  renameKey,
  requireStore,
  revokeKey,
  switchKey,
} from '@store-export/control'
import type * as z from 'zod'
import { permissionsOf } from '../create-store.ts'
import { Problem } from '../problems.ts'
import { type Route, route } from '../route.ts'
import { createdKey, key, keyChange, keyList, keyReplacement, newKey, revokedKey } from '../schemas.ts'
import { keyParameter, noBody, noQuery, storeParameter } from './parameters.ts'

type CreatedKey = Awaited<ReturnType<typeof createKey>>

const create = route({
  method: 'post',
  path: '/v1/stores/{store}/keys',
  id: 'createKey',
  summary: 'Create a key',
  description: 'The response contains the key itself. No other request returns it.',
  params: storeParameter,
  query: noQuery,
  body: newKey,
  responses: { 201: createdKey },
  problems: ['unknown-store', 'key-limit-reached'],
  handle: async ({ services, context, params, body }) => {
    const { id: storeId } = await requireStore(context.database, params.store)
    const { name } = body
    const made = await createKey({
      ...creating(context, services.keyPrefix),
      ...{ storeId, name, permissions: permissionsOf(body) },
    })
    return { status: 201, body: createdKeyJson(made) }
  },
})

const list = route({
  method: 'get',
  path: '/v1/stores/{store}/keys',
  id: 'listKeys',
  summary: 'List the keys of a store',
  description: 'Returns active keys first, then revoked and expired keys.',
  params: storeParameter,
  query: noQuery,
  body: noBody,
  responses: { 200: keyList },
  problems: ['unknown-store'],
  handle: async ({ context, params }) => {
    const { id: storeId } = await requireStore(context.database, params.store)
    const keys = await listKeys({ database: context.database, storeId })
    return { status: 200, body: { data: keys.map(keyJson) } }
  },
})

const change = route({
  method: 'patch',
  path: '/v1/keys/{key}',
  id: 'changeKey',
  summary: 'Change a key',
  description: 'Renames a key, turns it off or on, or changes what it may do, from the next request on.',
  params: keyParameter,
  query: noQuery,
  body: keyChange,
  responses: { 200: key },
  problems: ['unknown-key', 'key-ended'],
  handle: async ({ context, params, body }) => {
    const { id: keyId } = await requireActiveKey(context, params.key)
    const common = { database: context.database, keyId, ...acting(context) }
    const { name, state } = body
    const change = permissionChangeOf(body)
    // These are separate statements. If the key ends between two of them, the earlier changes stay.
    const isChanging = Object.keys(change).length > 0
    if (isChanging && (await changePermissions({ ...common, change })) === 'unknown') throw ended(keyId)
    if (name !== undefined && !(await renameKey({ ...common, name }))) throw ended(keyId)
    if (state !== undefined) {
      const outcome = await switchKey({ ...common, to: state === 'off' ? 'off' : 'on' })
      if (outcome === 'unknown') throw ended(keyId)
    }
    return { status: 200, body: keyJson(await requireKey(context, keyId)) }
  },
})

const revoke = route({
  method: 'delete',
  path: '/v1/keys/{key}',
  id: 'revokeKey',
  summary: 'Revoke a key',
  description: 'Every node rejects the key from the next request on.',
  params: keyParameter,
  query: noQuery,
  body: noBody,
  responses: { 200: revokedKey },
  problems: ['unknown-key'],
  handle: async ({ context, params }) => {
    const outcome = await revokeKey({ database: context.database, keyId: params.key, ...acting(context) })
    if (outcome === 'unknown') throw unknownKey(params.key)
    // A path can have the ID in upper case. All responses have it in lower case.
    const body = { id: params.key.toLowerCase(), revoked: true as const, already: outcome === 'already revoked' }
    return { status: 200, body }
  },
})

const replace = route({
  method: 'post',
  path: '/v1/keys/{key}/replace',
  id: 'replaceKey',
  summary: 'Replace a key',
  description:
    'Creates a key with the same permissions. The replaced key ends some hours after the first use of the new key.',
  params: keyParameter,
  query: noQuery,
  body: keyReplacement.prefault({}),
  responses: { 201: createdKey },
  problems: ['unknown-key', 'key-ended', 'key-limit-reached', 'key-not-replaceable'],
  handle: async ({ services, context, params, body }) => {
    const replaced = await requireActiveKey(context, params.key)
    const { storeId } = replaced
    const expiresAt = body.expires_at === null ? null : new Date(body.expires_at)
    const made = await createKey({
      ...creating(context, services.keyPrefix),
      // A replacement uses only `expiresAt`. `createKey` takes the other permissions from the replaced key.
      ...{ storeId, name: body.name ?? replaced.name, permissions: { ...ALL_PERMISSIONS, expiresAt } },
      replaces: { keyId: replaced.id, endsAfterHours: body.ends_after_hours, ...personalDataOf(body) },
    })
    return { status: 201, body: createdKeyJson(made) }
  },
})

/** Returns the permissions to change; an empty object if `body` changes none. */
function permissionChangeOf(body: z.output<typeof keyChange>): Partial<ChangeablePermissions> {
  const { scopes, expires_at: expiresAt, allowed_addresses: allowedAddresses } = body
  return {
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
    ...(allowedAddresses === undefined ? {} : { allowedAddresses }),
  }
}

function personalDataOf({ without_personal_data: withoutPersonalData }: z.output<typeof keyReplacement>) {
  return withoutPersonalData === undefined ? {} : { withoutPersonalData }
}

function creating({ database, random, ...context }: RegistryContext, keyPrefix: string) {
  // `createdBy` is null, because only the dashboard knows the person. The audit log has the token.
  return { database, random, keyPrefix, createdBy: null, ...acting(context) }
}

function acting({ actor }: Pick<RegistryContext, 'actor'>): { actor?: string } {
  return actor === undefined ? {} : { actor }
}

function createdKeyJson({ id, key: text, storeId, name, permissions }: CreatedKey) {
  return { id, key: text.reveal(), store_id: storeId, name, ...permissionsJson(permissions) }
}

async function requireKey({ database }: RegistryContext, keyId: string): Promise<KeySummary> {
  const found = await getKey(database, keyId)
  if (found === null) throw unknownKey(keyId)
  return found
}

/**
 * Returns a key that is not revoked. Rejects with `unknown-key` or `key-ended`. A key that has expired passes: the
 * statement that changes or replaces it rejects it.
 */
async function requireActiveKey(context: RegistryContext, keyId: string): Promise<KeySummary> {
  const found = await requireKey(context, keyId)
  if (found.revokedAt !== null) throw ended(found.id)
  return found
}

function unknownKey(keyId: string): Problem {
  return new Problem('unknown-key', `no key has the ID ${JSON.stringify(keyId.slice(0, 64))}`)
}

function ended(keyId: string): Problem {
  return new Problem('key-ended', `the key ${keyId} is revoked or has expired`)
}

export const KEY_ROUTES: readonly Route[] = [create, list, change, revoke, replace]
