// Measures what it would cost if request counters survived a crash of the control database. Runs the statement that
// checks and counts keys in three variants: the table of counters is unlogged; it is logged, and the statement doesn't
// wait for the disk; it is logged, and the statement waits.
//
// Run: npm run bench:counters -- [--server embedded|system] (default: embedded). The temporary folder must be on a
// disk. In memory, a wait for the disk costs nothing.

import { randomBytes } from 'node:crypto'
import { type Pool, sql } from '@store-export/postgres'
import { admitMany } from '../packages/control/src/access/admission.ts'
import { type HashedKey, hashApiKey } from '../packages/control/src/access/api-key.ts'
import {
  addStore,
  type ControlDatabase,
  createKey,
  EncryptionKey,
  migrate,
  openControlDatabase,
} from '../packages/control/src/index.ts'
import { readOptions } from './lib/options.ts'
import { processorTimeOfServer } from './lib/processor-time.ts'
import { type BenchServer, startBenchServer } from './lib/servers.ts'

const STORES = 200
const CONNECTIONS = 10
const KEYS_PER_STATEMENT = 4
const ROUNDS = 7
const ROUND_MS = 2000

const VARIANTS = [
  { name: 'unlogged', persistence: 'unlogged', waits: false },
  { name: 'logged, no wait for the disk', persistence: 'logged', waits: false },
  { name: 'logged, waits for the disk', persistence: 'logged', waits: true },
] as const

/** Results of one variant in one round. */
interface Figures {
  /** Requests per second. */
  readonly perSecond: number
  /** Processor time of the server per request, in ms. */
  readonly cpuMs: number
  /** Bytes of WAL (PostgreSQL's log of changes) per request. */
  readonly walBytes: number
}

// Without `--server`, the list begins with `embedded`.
const [kind = 'system'] = readOptions(process.argv.slice(2)).servers
const server = await startBenchServer(kind, { fsync: 'on' })
if (server === null) throw new Error(`there is no ${kind} PostgreSQL on this machine`)
try {
  await compare(server)
} finally {
  await server.remove()
}

async function compare(measured: BenchServer): Promise<void> {
  const url = measured.url('postgres')
  await migrate({ url, random: randomBytes })
  const setUp = openControlDatabase(url, { poolSize: 1 })
  const hashes = await makeKeys(setUp)
  const found = new Map<string, Figures[]>(VARIANTS.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, persistence, waits } of VARIANTS) {
      await setUp.pool.execute({ text: `alter table request_counters set ${persistence}`, values: [] })
      found.get(name)?.push(await measure(measured, hashes, waits))
    }
  }
  await setUp.close()
  console.log(
    `${measured.kind} PostgreSQL, ${CONNECTIONS} connections, ${KEYS_PER_STATEMENT} keys a statement; medians`,
  )
  for (const [name, rounds] of found) {
    const median = (of: (each: Figures) => number) => rounds.map(of).sort((a, b) => a - b)[ROUNDS >> 1] ?? 0
    const figures = [
      `${median((each) => each.perSecond).toFixed(0)} requests/s`,
      `${median((each) => each.cpuMs).toFixed(3)} ms of the server a request`,
      `${median((each) => each.walBytes).toFixed(0)} bytes of WAL a request`,
    ]
    console.log(`${name}: ${figures.join(', ')}`)
  }
}

async function makeKeys(database: ControlDatabase): Promise<HashedKey[]> {
  const context = {
    database,
    random: randomBytes,
    keys: { current: new EncryptionKey(randomBytes(32)), previous: null },
  }
  const hashes: HashedKey[] = []
  for (let index = 0; index < STORES; index += 1) {
    const databaseUrl = 'postgres://reader@127.0.0.1/shop'
    const store = await addStore(context, { name: 'Shop', origin: 'generated', state: 'ready', databaseUrl })
    const request = { database, storeId: store.id, name: 'key', createdBy: null, random: randomBytes }
    hashes.push(hashApiKey((await createKey(request)).key))
  }
  return hashes
}

/**
 * Counts requests for `ROUND_MS` over `CONNECTIONS` connections. Each connection counts for its own keys, so that it
 * never waits for the lock on a counter.
 */
async function measure(measured: BenchServer, hashes: readonly HashedKey[], waits: boolean): Promise<Figures> {
  const database = openControlDatabase(measured.url('postgres'), { poolSize: CONNECTIONS })
  const { pool } = database
  const counting = waits ? waitingForDisk(pool) : pool
  const walPosition = async () => {
    const [row] = await pool.query<{ bytes: string }>(sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`)
    return Number(row?.bytes)
  }
  // Opens all connections before the measurement.
  await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.query(sql`select pg_sleep(0.05)`)))
  const [walBefore, cpuBefore, begunAt] = [
    await walPosition(),
    await processorTimeOfServer(measured.processId),
    performance.now(),
  ]
  let requests = 0
  const work = async (connection: number) => {
    for (let turn = 0; performance.now() - begunAt < ROUND_MS; turn += 1) {
      const first = (connection * KEYS_PER_STATEMENT * 5 + (turn % 5) * KEYS_PER_STATEMENT) % hashes.length
      await admitMany(hashes.slice(first, first + KEYS_PER_STATEMENT), { pool: counting, requestsPerMinute: 120 })
      requests += KEYS_PER_STATEMENT
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => work(connection)))
  const seconds = (performance.now() - begunAt) / 1000
  const cpuMs = (await processorTimeOfServer(measured.processId)) - cpuBefore
  const walBytes = (await walPosition()) - walBefore
  await database.close()
  return { perSecond: requests / seconds, cpuMs: cpuMs / requests, walBytes: walBytes / requests }
}

/**
 * Returns the pool with a counting statement that waits for the disk. The statement of admission.ts turns
 * `synchronous_commit` off for its transaction. The returned pool removes that part from the statement's text.
 */
function waitingForDisk(pool: Pool): Pool {
  const query: Pool['query'] = (statement, options) => {
    const text = statement.text.replace("set_config('synchronous_commit', 'off', true) = 'off'", 'true')
    return pool.query({ ...statement, text }, options)
  }
  return Object.assign(Object.create(pool), { query })
}
