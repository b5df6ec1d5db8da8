// Handles requests for the changes of a store and its keys.

import { isUuid, readStoreEvents } from '@store-export/control'
import { activityView } from '../pages/activity-view.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'

/** GET /stores/{s}/settings/activity?before={id}: shows the changes before this one, or the newest ones. */
export async function activityPage(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, context } = request
  const last = context.req.query('before') ?? null
  if (last !== null && !isUuid(last)) return notFoundPage(request)
  const { events, before } = await readStoreEvents({ database: services.database, storeId: store.id, before: last })
  const olderHref = before === null ? null : `${storePaths(store.id).activity}?before=${before}`
  const frame = frameOf(request, { title: request.texts.activity.title, section: 'activity' })
  return { html: activityView(frame, { events, olderHref, isNewest: last === null }) }
}
