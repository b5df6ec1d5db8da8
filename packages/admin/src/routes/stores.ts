// The routes of stores.

import {
  listKeys,
  pageOfStores,
  readUsageHours,
  removeStore,
  requireServiceSecret,
  requireStore,
  setStore,
  storeJson,
  type UsageHour,
} from '@store-export/control'
import * as z from 'zod'
import { createStore } from '../create-store.ts'
import { cursorOf, encodeCursor } from '../cursor.ts'
import { type Route, route } from '../route.ts'
import {
  createdStore,
  newStore,
  removedStore,
  store,
  storeChange,
  storeHealth,
  storePage,
  upgradedStore,
  upgradeRequest,
  usage,
} from '../schemas.ts'
import { limit, noBody, noParameters, noQuery, reference, storeParameter, timeParameter } from './parameters.ts'

const DAY_MS = 86_400_000

const create = route({
  method: 'post',
  path: '/v1/stores',
  id: 'createStore',
  summary: 'Create a store',
  description:
    'Registers a store, and with `provision` creates its database. If a store has the external ID, the response is that store with status 200, and only missing keys are created.',
  batch: { path: '/v1/stores/batch', id: 'createStores', summary: 'Create many stores' },
  params: noParameters,
  query: noQuery,
  body: newStore,
  responses: { 200: createdStore, 201: createdStore },
  problems: ['refused', 'key-limit-reached', 'secrets-differ', 'too-many-operations', 'database-error'],
  handle: ({ services, context, body }) => createStore(services, context, body),
})

const list = route({
  method: 'get',
  path: '/v1/stores',
  id: 'listStores',
  summary: 'List the stores',
  description: 'Returns the registered stores in the order of their IDs.',
  params: noParameters,
  query: z.strictObject({
    external_id: reference.optional().meta({ description: 'Return only the store with this external ID.' }),
    limit,
    cursor: cursorOf(z.object({ id: z.guid() })),
  }),
  body: noBody,
  responses: { 200: storePage },
  problems: [],
  handle: async ({ context, query }) => {
    const { external_id: externalId = null, cursor } = query
    // One more row shows whether there is a next page.
    const page = { externalId, after: cursor?.id ?? null, limit: query.limit + 1 }
    const rows = await pageOfStores(context.database, page)
    const data = rows.slice(0, query.limit).map(storeJson)
    const last = data.at(-1)
    const hasMore = rows.length > query.limit && last !== undefined
    return { status: 200, body: { data, next_cursor: hasMore ? encodeCursor({ id: last.id }) : null } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/stores/{store}',
  id: 'getStore',
  summary: 'Get a store',
  params: storeParameter,
  query: noQuery,
  body: noBody,
  responses: { 200: store },
  problems: ['unknown-store'],
  handle: async ({ context, params }) => ({
    status: 200,
    body: storeJson(await requireStore(context.database, params.store)),
  }),
})

const change = route({
  method: 'patch',
  path: '/v1/stores/{store}',
  id: 'changeStore',
  summary: 'Change a store',
  description: 'The change applies from the next request to the export API.',
  batch: { path: '/v1/stores/batch-change', id: 'changeStores', summary: 'Change many stores' },
  params: storeParameter,
  query: noQuery,
  body: storeChange,
  responses: { 200: store },
  problems: ['unknown-store', 'secrets-differ'],
  handle: async ({ context, params, body }) => {
    const { name, state, database_url: databaseUrl, schema: schemaName, two_factor_required: requiresTwoFactor } = body
    const { id } = await requireStore(context.database, params.store)
    // A node with another secret could not decrypt the password in the URL.
    if (databaseUrl !== undefined) await requireServiceSecret(context.database, context.keys, id)
    const changed = await setStore(context, id, {
      ...(name === undefined ? {} : { name }),
      ...(state === undefined ? {} : { state }),
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(schemaName === undefined ? {} : { schemaName }),
      ...(requiresTwoFactor === undefined ? {} : { requiresTwoFactor }),
    })
    return { status: 200, body: storeJson(changed) }
  },
})

const remove = route({
  method: 'delete',
  path: '/v1/stores/{store}',
  id: 'removeStore',
  summary: 'Remove a store',
  description: 'Revokes the keys of the store and deletes its URL. The database stays.',
  batch: { path: '/v1/stores/batch-remove', id: 'removeStores', summary: 'Remove many stores' },
  params: storeParameter,
  query: noQuery,
  body: noBody,
  responses: { 200: removedStore },
  problems: ['unknown-store'],
  handle: async ({ context, params }) => {
    const { id, removed, keysRevoked } = await removeStore(context.database, params.store, context.actor)
    return { status: 200, body: { id, removed: true as const, already: !removed, keys_revoked: keysRevoked } }
  },
})

const upgrade = route({
  method: 'post',
  path: '/v1/stores/{store}/upgrade',
  id: 'upgradeStore',
  summary: 'Upgrade the schema of a store',
  description: 'Upgrades a database that this service created, and the grants of its reader.',
  batch: { path: '/v1/stores/batch-upgrade', id: 'upgradeStores', summary: 'Upgrade the schemas of many stores' },
  params: storeParameter,
  query: noQuery,
  body: upgradeRequest,
  responses: { 200: upgradedStore },
  problems: ['unknown-store', 'refused', 'too-many-operations', 'database-error'],
  handle: async ({ services, context, params, body }) => {
    const found = await requireStore(context.database, params.store)
    const { to, database_url: databaseUrl } = body
    const result = await services.limiter.run(() => services.operations.upgrade(found, { to, databaseUrl }))
    const { applied, repaired, adminSql } = result
    const changes = { applied: [...applied], repaired: [...repaired], admin_sql: adminSql }
    return { status: 200, body: { id: found.id, revision: to, ...changes } }
  },
})

const health = route({
  method: 'get',
  path: '/v1/stores/{store}/health',
  id: 'getStoreHealth',
  summary: 'Check a store',
  description: 'Connects to the store, and returns what `store-export doctor` finds.',
  batch: { path: '/v1/stores/batch-check', id: 'checkStores', summary: 'Check many stores' },
  params: storeParameter,
  query: noQuery,
  body: noBody,
  responses: { 200: storeHealth },
  problems: ['unknown-store', 'too-many-operations'],
  handle: async ({ services, context, params }) => {
    const found = await requireStore(context.database, params.store)
    const { ok, revision, findings } = await services.limiter.run(() => services.operations.examine(found))
    const { id, name } = found
    return { status: 200, body: { id, name, ok, revision, findings: findings.map((each) => ({ ...each })) } }
  },
})

const readUsage = route({
  method: 'get',
  path: '/v1/stores/{store}/usage',
  id: 'getStoreUsage',
  summary: 'Read the usage of a store',
  params: storeParameter,
  query: z.strictObject({
    since: timeParameter.meta({ description: 'First hour to return. Default: 24 hours ago.' }),
  }),
  body: noBody,
  responses: { 200: usage },
  problems: ['unknown-store'],
  handle: async ({ context, params, query }) => {
    const { id } = await requireStore(context.database, params.store)
    const since = query.since === undefined ? new Date(Date.now() - DAY_MS) : new Date(query.since)
    const keys = await listKeys({ database: context.database, storeId: id })
    const keyIds = keys.map((key) => key.id)
    const hours = await readUsageHours({ database: context.database, keyIds, since })
    const body = { store_id: id, since: since.toISOString(), keys: sumsByKey(hours), hours: hours.map(hourJson) }
    return { status: 200, body }
  },
})

function hourJson(hour: UsageHour) {
  return { hour: hour.hour.toISOString(), key_id: hour.keyId, ...countsOf(hour) }
}

function countsOf({ successful, clientErrors, rejected, failed }: UsageHour) {
  return { successful, client_errors: clientErrors, rejected, failed }
}

/** Returns the sums of all hours for each key, in the order of each key's first hour. */
function sumsByKey(hours: readonly UsageHour[]) {
  const sums = new Map<string, { key_id: string } & ReturnType<typeof countsOf>>()
  for (const hour of hours) {
    const { keyId } = hour
    const counts = countsOf(hour)
    const sum = sums.get(keyId)
    if (sum === undefined) sums.set(keyId, { key_id: keyId, ...counts })
    else {
      sum.successful += counts.successful
      sum.client_errors += counts.client_errors
      sum.rejected += counts.rejected
      sum.failed += counts.failed
    }
  }
  return [...sums.values()]
}

export const STORE_ROUTES: readonly Route[] = [create, list, get, change, remove, upgrade, health, readUsage]
