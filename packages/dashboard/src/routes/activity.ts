// Handles requests for the changes of a store and its keys, as a page and as a file.

import {
  EVENTS_PER_PAGE,
  isUuid,
  readStoreActors,
  readStoreEvents,
  STORE_ACTIONS,
  type StoreActor,
  type StoreEvent,
  type StoreEventFilter,
} from '@store-export/control'
import { type CsvDialect, csvDialectOf } from '../data/csv-dialect.ts'
import { csvHead, csvRecord } from '../data/csv-row.ts'
import { activityView } from '../pages/activity-view.ts'
import type { ActivityChoice, ChosenDay } from '../pages/models.ts'
import { storePaths } from '../ui/store-paths.ts'
import { type LocalDay, parseLocalDay } from '../usage/parse-local-time.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { downloadStarted } from './download-started.ts'
import { notFoundPage } from './error-pages.ts'

/**
 * GET /stores/{s}/settings/activity?action=key.created&by={id}&from=2026-11-01&until=2026-11-30&before={id}: shows the
 * chosen changes before the one with the ID `before`, or the newest ones. The days are in the store's time zone.
 */
export async function activityPage(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, context } = request
  const { database } = services
  const last = context.req.query('before') ?? null
  if (last !== null && !isUuid(last)) return notFoundPage(request)
  const actors = await readStoreActors(database, store.id)
  const { choice, filter } = choiceOf(request, actors)
  const options = { database, storeId: store.id, filter, before: last, limit: EVENTS_PER_PAGE }
  const { events, before } = await readStoreEvents(options)
  const hrefOf = (more: Readonly<Record<string, string>>, path = storePaths(store.id).activity) => {
    const query = new URLSearchParams({ ...parametersOf(choice), ...more }).toString()
    return query === '' ? path : `${path}?${query}`
  }
  const hrefs = {
    olderHref: before === null ? null : hrefOf({ before }),
    newestHref: last === null ? null : hrefOf({}),
    csvHref: hrefOf({}, storePaths(store.id).activityFile),
  }
  const frame = frameOf(request, { title: request.texts.activity.title, section: 'activity' })
  return { html: activityView(frame, { events, choice, actors, ...hrefs }) }
}

/** Maximum number of changes in a file. */
const FILE_EVENTS_MAX = 10_000

/**
 * GET /stores/{s}/settings/activity.csv?action=key.created&by={id}&from=2026-11-01&until=2026-11-30: sends the chosen
 * changes as a file, up to the 10,000 newest. Its times are in UTC.
 */
export async function activityDownload(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, now } = request
  const { database } = services
  const { filter } = choiceOf(request, await readStoreActors(database, store.id))
  const options = { database, storeId: store.id, filter, before: null, limit: FILE_EVENTS_MAX }
  const { events } = await readStoreEvents(options)
  const dialect = csvDialectOf(request)
  const name = `activity-${now.toISOString().slice(0, 10)}.csv`
  return new Response([csvHead(CSV_COLUMNS, dialect), ...events.map((event) => csvLine(event, dialect))].join(''), {
    headers: {
      'cache-control': 'no-store',
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      ...downloadStarted(request),
    },
  })
}

const CSV_COLUMNS = ['time', 'action', 'by', 'key_id', 'key_name', 'person', 'role', 'reason', 'found_at', 'changed']

function csvLine(event: StoreEvent, dialect: CsvDialect): string {
  const { at, action, actor, key, merchantEmail, role, reason, foundAt, changed } = event
  return csvRecord(
    [
      ...[at.toISOString(), action, actor.email ?? actor.by],
      ...[key?.id ?? '', key?.name ?? '', merchantEmail ?? '', role ?? ''],
      ...[reason ?? '', foundAt.url, changed.join(' ')],
    ],
    dialect,
  )
}

/**
 * Reads the choice from the URL, as the page shows it and as a filter of the events. The filter ignores an unknown
 * action, an actor without changes, and an invalid day. The page shows an error for the day.
 */
function choiceOf(
  { context: { req }, head, texts }: StoreRequest,
  actors: readonly StoreActor[],
): { readonly choice: ActivityChoice; readonly filter: StoreEventFilter } {
  const action = STORE_ACTIONS.find((each) => each === req.query('action')) ?? null
  const by = actors.find((actor) => actor.by === req.query('by'))?.by ?? null
  const dayOf = (text = ''): { chosen: ChosenDay; day: LocalDay | null } => {
    const day = parseLocalDay(text, head.timeZone)
    return { day, chosen: { text, problem: text === '' || day !== null ? null : texts.activity.filter.dayProblem } }
  }
  const [from, until] = [dayOf(req.query('from')), dayOf(req.query('until'))]
  return {
    choice: { action, by, from: from.chosen, until: until.chosen },
    filter: { action, by, since: from.day?.start ?? null, until: until.day?.end ?? null },
  }
}

/** Returns the parameters of the URL for a choice, without those that are empty or invalid. */
function parametersOf({ action, by, from, until }: ActivityChoice): Record<string, string> {
  const valid = ({ text, problem }: ChosenDay) => (problem === null ? text : '')
  const parameters = { action: action ?? '', by: by ?? '', from: valid(from), until: valid(until) }
  return Object.fromEntries(Object.entries(parameters).filter(([, text]) => text !== ''))
}
