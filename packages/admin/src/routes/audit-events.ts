// The route of the audit log.

import { type AuditEvent, isUuid, type RegistryContext, readAuditEvents, requireStore } from '@store-export/control'
import * as z from 'zod'
import { cursorOf, encodeCursor } from '../cursor.ts'
import { type Route, route } from '../route.ts'
import { auditPage } from '../schemas.ts'
import { isInYears, limit, noBody, noParameters, reference, timeParameter } from './parameters.ts'

const list = route({
  method: 'get',
  path: '/v1/audit-events',
  id: 'listAuditEvents',
  summary: 'Read the log of changes',
  description:
    'Returns changes of keys, stores, members, and secrets, oldest first. An event gets its time before its transaction commits. To miss no event, begin a later run a minute before the last event, and skip IDs that you know.',
  params: noParameters,
  query: z.strictObject({
    since: timeParameter.meta({ description: 'First time to return. Default: the oldest event.' }),
    store: reference
      .optional()
      .meta({ description: 'ID or external ID of the only store. Removed stores need the ID.' }),
    limit,
    cursor: cursorOf(z.object({ at: z.iso.datetime({ precision: 6 }).refine(isInYears), id: z.guid() })),
  }),
  body: noBody,
  responses: { 200: auditPage },
  problems: ['unknown-store'],
  handle: async ({ context, query }) => {
    const { since, store, cursor: after } = query
    const storeId = store === undefined ? null : await storeIdOf(context, store)
    const start = since === undefined ? null : new Date(since)
    const { database } = context
    // One more event shows whether there is a next page.
    const events = await readAuditEvents({ database, storeId, since: start, after, limit: query.limit + 1 })
    const page = events.slice(0, query.limit)
    const last = page.at(-1)
    const hasMore = events.length > query.limit && last !== undefined
    const nextCursor = hasMore ? encodeCursor({ at: last.at, id: last.id }) : null
    return { status: 200, body: { data: page.map(eventJson), next_cursor: nextCursor } }
  },
})

/** Returns the ID of a store. The log also has the events of removed stores, so an ID needs no registered store. */
async function storeIdOf({ database }: RegistryContext, reference: string): Promise<string> {
  return isUuid(reference) ? reference : (await requireStore(database, reference)).id
}

function eventJson({ id, at, actor, action, storeId, keyId, merchantId, details }: AuditEvent) {
  return { id, at, actor, action, store_id: storeId, key_id: keyId, merchant_id: merchantId, details: { ...details } }
}

export const AUDIT_ROUTES: readonly Route[] = [list]
