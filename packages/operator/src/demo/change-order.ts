// Changes one order of the first demo store as a shop does: marks it as paid, shipped, or delivered.

import { queryRows, sql } from '@store-export/postgres'
import { connectOnce } from '../command-context.ts'
import { storeDatabase } from '../store-schema/provision-store.ts'
import { DEMO_STORES } from './demo-stores.ts'

/** What `demo change` prints about the changed order. */
export interface OrderChange {
  readonly store: string
  readonly order_id: string
  readonly status: string
  /** Status before the change. */
  readonly before: string
  /** ISO 8601 in UTC, as the API returns it. */
  readonly updated_at: string
}

/**
 * Changes the newest order that has a next status, and returns the change; null if there is none. The store's trigger
 * sets `updated_at`. `urlOf` returns the superuser's URL of a database.
 */
export async function changeOrder(urlOf: (database: string) => string): Promise<OrderChange | null> {
  const [{ id, name }] = DEMO_STORES
  const store = await connectOnce(urlOf(storeDatabase(id)))
  try {
    const [changed] = await queryRows<Omit<OrderChange, 'store'>>(
      store,
      sql`
      with chosen as (
        select id, status from orders where status in ('pending', 'paid', 'shipped')
        order by created_at desc, id desc limit 1 for update
      )
      update orders o
      set status = case c.status when 'pending' then 'paid' when 'paid' then 'shipped' else 'delivered' end
      from chosen c where o.id = c.id
      returning o.id as order_id, c.status as before, o.status,
        to_char(o.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at`,
    )
    return changed === undefined ? null : { store: name, ...changed }
  } finally {
    await store.close()
  }
}
