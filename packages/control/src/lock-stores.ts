// Orders the changes of a store's members and invitations, so that they run one after the other and never deadlock. A
// transaction locks in this order: its stores, its invitations, and then memberships and accounts. The change or the
// removal of a membership also belongs here, because its triggers withdraw invitations.

import { type Connection, queryRows, type SqlFragment, sql } from '@store-export/postgres'

/**
 * What the transaction does. `change` waits for all other transactions with a lock on the store. `join` adds members,
 * and several such transactions can run at the same time.
 */
export type StoreLock = 'change' | 'join'

/**
 * Locks stores until the end of the transaction, in the order of their IDs, and returns the IDs of those that exist. It
 * must be the first statement of the transaction. `storeIds` is a list or a subquery. Later statements see what the
 * transaction waited for.
 */
export async function lockStores(connection: Connection, storeIds: SqlFragment, lock: StoreLock): Promise<string[]> {
  // At another isolation level, the next statement would read the rows from before the lock.
  await connection.script('set transaction isolation level read committed')
  const strength = lock === 'change' ? sql`for no key update` : sql`for share`
  const stores = await queryRows<{ id: string }>(
    connection,
    sql`select id from stores where id in (${storeIds}) order by id ${strength}`,
  )
  return stores.map(({ id }) => id)
}
