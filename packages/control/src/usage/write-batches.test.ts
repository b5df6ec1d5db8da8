import { sql } from '@store-export/postgres'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { hangWorker } from '../../../../test/support/citus.ts'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { createKey } from '../access/create-key.ts'
import { openControlDatabase } from '../database.ts'
import { type Execute, writeBatches } from './write-batches.ts'

const worker = inject('citusWorkers')?.[0] ?? ''
const LIMITS = { statementMsMax: 500, workersMsMax: 2000 }
const POOL_STATEMENT_MS = 2000

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

/** Returns the keys whose usage is on the first worker. */
async function onWorker(keyIds: readonly string[]): Promise<Set<string>> {
  const rows = await control.sql<{ id: string }[]>`
    select u.id from unnest(${keyIds}::uuid[]) u (id)
    join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('usage_hours', u.id)
    where p.nodeport = ${new URL(worker).port}`
  return new Set(rows.map(({ id }) => id))
}

/** Creates a key and its replacement, and returns their IDs. */
async function createReplacedKey(): Promise<[string, string]> {
  const { database, random } = control
  const { id: storeId } = await control.store()
  const old = await createKey({ database, random, storeId, name: 'old', createdBy: null })
  const replaces = { keyId: old.id, endsAfterHours: 1 } as const
  const { id } = await createKey({ database, random, storeId, name: 'new', createdBy: null, replaces })
  return [old.id, id]
}

test.skipIf(worker === '')(
  'while a Citus worker hangs, three simultaneous writes on two connections write the usage of keys on other workers in a bounded time',
  async () => {
    const pairs = await Promise.all(Array.from({ length: 24 }, createReplacedKey))
    const hanging = await onWorker(pairs.flat())
    onTestFinished(await hangWorker(control, worker, 'usage_hours'))
    const database = openControlDatabase(control.url, { poolSize: 2, statementTimeoutMs: POOL_STATEMENT_MS })
    onTestFinished(() => database.close())
    const writeHour = (hour: string) => (batch: readonly { keyId: string }[], execute: Execute) =>
      execute(sql`
        insert into usage_hours (key_id, hour, successful)
        select u.id, ${hour}::timestamptz, 1 from unnest(${batch.map(({ keyId }) => keyId)}::uuid[]) as u (id)
        join api_keys k on k.id = u.id`).then(() => undefined)
    const hours = ['2026-03-01T12:00Z', '2026-03-01T13:00Z', '2026-03-01T14:00Z']
    const entries = pairs.flat().map((keyId) => ({ keyId }))
    const startedAt = performance.now()
    const results = await Promise.all(
      hours.map((hour) =>
        writeBatches(entries, { pool: database.pool, batchSize: 5000, write: writeHour(hour), ...LIMITS }),
      ),
    )
    const limit = LIMITS.workersMsMax + 5 * LIMITS.statementMsMax
    expect(performance.now() - startedAt).toBeLessThan(limit)
    for (const result of results) {
      expect(result?.hasLostWorker).toBe(true)
      const unwritten = new Set(result?.entries.map(({ keyId }) => keyId))
      expect([...hanging].filter((id) => !unwritten.has(id))).toEqual([])
      // The unused replacements are written last, so some of them wait for the next write.
      for (const [old] of pairs) expect(unwritten.has(old)).toBe(hanging.has(old))
    }
  },
)
