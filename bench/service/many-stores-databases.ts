// Creates many stores on one server: one database for each, copied from the first, and a control database that
// registers them.

import { randomBytes, randomUUID } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { addStore, createKey, EncryptionKey, migrate, openControlDatabase } from '@store-export/control'
import { provisionStore } from '../../packages/operator/src/store-schema/provision-store.ts'
import { urlForDatabase } from '../../packages/operator/src/store-schema/store-url.ts'
import { connectOnce, openClient } from '../../test/support/client.ts'
import type { BenchServer } from '../lib/servers.ts'

/** A store with a key, and the reader's URL for a direct connection. */
export interface ManyStore {
  readonly key: string
  readonly readerUrl: string
}

/** The stores, and the control database that registers them. */
export interface ManyStores {
  readonly controlUrl: string
  readonly secret: Buffer
  readonly stores: readonly ManyStore[]
}

const CONTROL_DATABASE = 'many_control'
const ORDERS = 100

/** Creates `count` stores with a hundred orders each. All have the same orders. */
export async function makeManyStores(server: BenchServer, count: number): Promise<ManyStores> {
  const admin = openClient(server.url('postgres'))
  const secret = randomBytes(32)
  const keys = { current: new EncryptionKey(secret), previous: null }
  const { readerUrl, databaseUrl } = await provisionStore({
    adminUrl: server.url('postgres'),
    storeId: randomUUID(),
    name: 'Shop',
    revision: LATEST_REVISION,
    random: randomBytes,
    connect: connectOnce,
  })
  await fill(databaseUrl)
  // All stores share the role of the first, whose own limit is for one store.
  await admin.unsafe(`alter role "${new URL(readerUrl).username}" connection limit -1`)
  // Unlike template1, template0 accepts no connections. PostgreSQL can't copy a database that has a connection.
  await admin.unsafe(`create database ${CONTROL_DATABASE} template template0`)
  const controlUrl = server.url(CONTROL_DATABASE)
  await migrate({ url: controlUrl, random: randomBytes })
  const database = openControlDatabase(controlUrl, { poolSize: 1 })
  const stores: ManyStore[] = []
  try {
    for (let n = 0; n < count; n++) {
      const name = `many_${n}`
      await admin.unsafe(
        `create database ${name} template "${new URL(databaseUrl).pathname.slice(1)}" strategy file_copy`,
      )
      const url = urlForDatabase(readerUrl, name)
      const id = randomUUID()
      const store = { id, name, origin: 'generated', state: 'ready', databaseUrl: url } as const
      await addStore({ database, keys, random: randomBytes }, store)
      const { key } = await createKey({ database, random: randomBytes, storeId: id, name: 'bench', createdBy: null })
      stores.push({ key: key.reveal(), readerUrl: url })
    }
  } finally {
    await Promise.all([database.close(), admin.end()])
  }
  return { controlUrl, secret, stores }
}

async function fill(ownerUrl: string): Promise<void> {
  const sql = openClient(ownerUrl)
  try {
    await sql.unsafe(`insert into orders (id, email, created_at)
      select gen_random_uuid(), 'buyer@example.com', now() - n * interval '1 minute' from generate_series(1, ${ORDERS}) n;
      insert into order_items (id, order_id, product_id, name, quantity, price)
      select gen_random_uuid(), id, gen_random_uuid(), 'Cup', 1, 9.5 from orders; analyze`)
  } finally {
    await sql.end()
  }
}
