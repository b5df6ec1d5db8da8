// Measures the processor time of a key check in a control database on one server, and in one that Citus distributes.
// All servers of the Citus cluster must run on this machine, because their processor times come from /proc.
//
// Run: npm run bench:citus -- --control-url URL --control-worker URL [--control-worker URL...]
// The URLs are those of superusers: on the coordinator of the cluster, and on each worker. The coordinator also has the
// database that isn't distributed.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { queryRows, sql } from '@store-export/postgres'
import { admit, admitMany } from '../packages/control/src/access/admission.ts'
import { type HashedKey, hashApiKey } from '../packages/control/src/access/api-key.ts'
import {
  addStore,
  type ControlDatabase,
  createKey,
  EncryptionKey,
  migrate,
  openControlDatabase,
} from '../packages/control/src/index.ts'
import { createDistributedDatabase } from '../test/support/citus.ts'
import { withConnection } from '../test/support/client.ts'
import { processorTimeOfServer } from './lib/processor-time.ts'

const KEYS = 200
const ROUNDS = 15
const CHECKS = 2000
const KEYS_PER_STATEMENT = 4

const { values } = parseArgs({
  options: { 'control-url': { type: 'string' }, 'control-worker': { type: 'string', multiple: true } },
})
const { 'control-url': coordinator = '', 'control-worker': workers = [] } = values
if (coordinator === '' || workers.length === 0) throw new Error('--control-url and --control-worker: must be given')
const name = `bench_${randomBytes(4).toString('hex')}`
const plain = `${name}_plain`
try {
  await measure()
} finally {
  for (const server of [coordinator, ...workers])
    for (const each of [name, plain])
      await withConnection(server, (connection) => connection.script(`drop database if exists ${each} with (force)`))
}

/** A way to check keys, and its processor times, one value for each round. */
interface Variant {
  readonly name: string
  /** Checks `CHECKS` keys. */
  readonly check: (round: number) => Promise<void>
  /** Processor times of the coordinator, in µs per check. */
  readonly coordinator: number[]
  /** Processor times of all workers together, in µs per check. */
  readonly workers: number[]
}

async function measure(): Promise<void> {
  const distributed = openControlDatabase(await createDistributedDatabase(name, coordinator, workers), { poolSize: 1 })
  const worker = openControlDatabase(urlOn(workers[0] ?? '', name), { poolSize: 1 })
  const single = openControlDatabase(await createPlainDatabase(), { poolSize: 1 })
  const [ofDistributed, ofSingle] = [await createKeys(distributed), await createKeys(single)]
  // No check is above this rate limit.
  const request = (database: ControlDatabase) => ({ pool: database.pool, requestsPerMinute: 1_000_000_000 })
  const each = (hashes: readonly HashedKey[], database: ControlDatabase, isDistributed: boolean) => async () => {
    for (let n = 0; n < CHECKS; n++)
      await admit(hashes[n % KEYS] as HashedKey, [null], { ...request(database), isDistributed })
  }
  const several = async () => {
    for (let n = 0; n < CHECKS; n += KEYS_PER_STATEMENT)
      await admitMany(ofSingle.slice(n % KEYS, (n % KEYS) + KEYS_PER_STATEMENT), request(single))
  }
  const variant = (label: string, check: () => Promise<void>): Variant => ({
    name: label,
    check,
    coordinator: [],
    workers: [],
  })
  const variants = [
    variant('one server, one key in a statement', each(ofSingle, single, false)),
    variant(`one server, ${KEYS_PER_STATEMENT} keys in a statement`, several),
    variant('distributed, through the coordinator', each(ofDistributed, distributed, true)),
    variant('distributed, through a worker', each(ofDistributed, worker, true)),
  ]
  const ids = await Promise.all([coordinator, ...workers].map(processIdOf))
  const times = () => Promise.all(ids.map(processorTimeOfServer))
  for (let round = -1; round < ROUNDS; round++) {
    for (const { check, ...samples } of variants) {
      const before = await times()
      await check(round)
      const after = await times()
      const [first = 0, ...others] = after.map((time, index) => ((time - (before[index] ?? 0)) / CHECKS) * 1000)
      // The round before the first only fills caches.
      if (round < 0) continue
      samples.coordinator.push(first)
      samples.workers.push(others.reduce((sum, time) => sum + time, 0))
    }
  }
  report(variants)
  await Promise.all([distributed.close(), worker.close(), single.close()])
}

function report(variants: readonly Variant[]): void {
  console.log('| Check | Coordinator, µs | All workers, µs |')
  console.log('| --- | ---: | ---: |')
  for (const { name: label, coordinator: first, workers: others } of variants) {
    console.log(`| ${label} | ${median(first).toFixed(0)} | ${median(others).toFixed(0)} |`)
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function urlOn(server: string, database: string): string {
  return Object.assign(new URL(server), { pathname: `/${database}` }).href
}

async function createPlainDatabase(): Promise<string> {
  const url = urlOn(coordinator, plain)
  await withConnection(coordinator, (connection) => connection.script(`create database ${plain} template template0`))
  await migrate({ url, random: randomBytes })
  return url
}

async function createKeys(database: ControlDatabase): Promise<HashedKey[]> {
  const context = {
    database,
    keys: { current: new EncryptionKey(randomBytes(32)), previous: null },
    random: randomBytes,
  }
  const databaseUrl = 'postgres://reader:password@127.0.0.1/shop'
  const hashes: HashedKey[] = []
  for (let made = 0; made < KEYS; made++) {
    const { id: storeId } = await addStore(context, { name: 'S', origin: 'generated', state: 'ready', databaseUrl })
    const { key } = await createKey({ ...context, storeId, name: 'k', createdBy: null })
    hashes.push(hashApiKey(key))
  }
  return hashes
}

/** Returns the ID of the server's main process. Rejects if its data folder isn't on this machine. */
async function processIdOf(url: string): Promise<number> {
  const [row] = await withConnection(url, (connection) =>
    queryRows<{ folder: string }>(connection, sql`select current_setting('data_directory') as folder`),
  )
  return Number.parseInt(await readFile(path.join(row?.folder ?? '', 'postmaster.pid'), 'utf8'), 10)
}
