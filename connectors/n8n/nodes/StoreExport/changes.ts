// Reads the rows of a list that changed since the last poll, and returns the position of the next poll.

import type { IDataObject, IPollFunctions } from 'n8n-workflow'
import { getPage, isInvalidCursor, type Page, type Query, ROWS_PER_PAGE } from './api.ts'

/**
 * Maximum number of pages of a poll. A poll returns at most 25,000 rows, so that n8n can hold them. The next poll
 * continues with the next page.
 */
const PAGES_MAX = 100

/** Where the next poll starts. n8n stores the position with the workflow. */
export interface Position {
  /** Parameter of the next list: `updated_since`, or `created_since` if the store does not track updates. */
  readonly parameter: string
  /** Start of the next window; empty for all rows. */
  readonly since: string
  /** Cursor of the next page if a poll ended before the list; otherwise empty. */
  readonly cursor: string
}

/** The changed rows, and where the next poll starts. */
export interface Changes {
  readonly rows: IDataObject[]
  readonly next: Position
}

/** Returns a position from which a poll finds the changes after this moment. Does not read the list. */
export async function currentPosition(context: IPollFunctions, path: string): Promise<Position> {
  return nextPosition(await getPage(context, path, { limit: 1 }))
}

/**
 * Returns the changed rows, at most 25,000. Each list ends at its watermark, where the next list starts, so each change
 * of a row is in one list. A transaction that commits late is in a later list. If the service no longer accepts the
 * cursor of `position`, the list starts again.
 */
export async function readChanges(context: IPollFunctions, path: string, position: Position): Promise<Changes> {
  const { parameter, since, cursor } = position
  const query: Query = {
    limit: ROWS_PER_PAGE,
    [parameter.replace('_since', '_until')]: 'now',
    ...(since === '' ? {} : { [parameter]: since }),
  }
  const rows: IDataObject[] = []
  let next = cursor
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await pageOrStart(context, path, { query, cursor: next })
    rows.push(...page.rows)
    if (page.cursor === null) return { rows, next: nextPosition(page) }
    next = page.cursor
  }
  return { rows, next: { parameter, since, cursor: next } }
}

/** Returns the page after the cursor, or the first page if the service no longer accepts the cursor. */
async function pageOrStart(
  context: IPollFunctions,
  path: string,
  { query, cursor }: { readonly query: Query; readonly cursor: string },
): Promise<Page> {
  if (cursor === '') return getPage(context, path, query)
  const page = await getPage(context, path, { ...query, cursor }).catch((error: unknown) => {
    if (isInvalidCursor(error)) return null
    return Promise.reject(error)
  })
  return page ?? getPage(context, path, query)
}

function nextPosition({ headers }: Page): Position {
  const [parameter, since] = [headers['x-sync-parameter'], headers['x-sync-watermark']]
  if (parameter === undefined || since === undefined)
    throw new Error('The response has no x-sync-watermark. A proxy must pass the headers of the service.')
  return { parameter, since, cursor: '' }
}
