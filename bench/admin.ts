// Registers stores with one key each through the admin API's batch endpoint. Then sends the same requests again, and
// compares the control database before and after. Prints the times of both runs.
//
// Run: npm run bench:admin -- [--stores N] (default: 10000) [--server embedded|system] (default: system).

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createAdminToken, migrate, openControlDatabase } from '@store-export/control'
import { openClient } from '../test/support/client.ts'
import { startBuiltService } from './lib/built-service.ts'
import { type BenchServer, startBenchServer } from './lib/servers.ts'

const CONTROL_DATABASE = 'admin_control'
/** Maximum of the admin API. */
const LINES_PER_BATCH = 1000

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const { values } = parseArgs({
  options: { server: { type: 'string', default: 'system' }, stores: { type: 'string', default: '10000' } },
})
const kind = values.server === 'embedded' ? 'embedded' : 'system'
const server = await startBenchServer(kind)
if (server === null)
  throw new Error(`${kind}: no such server here; name the folder of its programs in BENCH_POSTGRES_BIN`)
try {
  await measure(server, Number(values.stores))
} finally {
  await server.remove()
}

/** The admin API to measure, and the URL of its control database. */
interface Target {
  readonly url: string
  readonly token: string
  readonly controlUrl: string
}

async function measure(server: BenchServer, stores: number): Promise<void> {
  const controlUrl = server.url(CONTROL_DATABASE)
  const token = await makeControlDatabase(server, controlUrl)
  const port = await freePort()
  const service = await startBuiltService({
    STORE_EXPORT_DATABASE_URL: controlUrl,
    STORE_EXPORT_SECRET: randomBytes(32).toString('base64'),
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_OPERATIONS_PORT: '0',
    STORE_EXPORT_ADMIN_PORT: String(port),
  })
  try {
    const target = { url: `http://127.0.0.1:${port}`, token, controlUrl }
    await untilItListens(target)
    console.log('| Run | Seconds | Stores per second | Status of the lines |\n| --- | ---: | ---: | --- |')
    await run('first', target, stores)
    const before = await contentOf(controlUrl)
    await run('repetition', target, stores)
    const after = await contentOf(controlUrl)
    console.log(`\n${before.stores} stores, ${before.keys} keys, ${before.events} audit events after the first run`)
    console.log(
      JSON.stringify(before) === JSON.stringify(after)
        ? 'the repetition changed nothing'
        : 'the repetition CHANGED rows',
    )
  } finally {
    await service.close()
  }
}

async function makeControlDatabase(server: BenchServer, controlUrl: string): Promise<string> {
  const admin = openClient(server.url('postgres'))
  // Unlike template1, template0 accepts no connections. PostgreSQL can't copy a database that has a connection.
  await admin.unsafe(`create database ${CONTROL_DATABASE} template template0`)
  await admin.end()
  await migrate({ url: controlUrl, random: randomBytes })
  const database = openControlDatabase(controlUrl, { poolSize: 1 })
  try {
    const { token } = await createAdminToken({ database, name: 'bench', expiresAt: null, random: randomBytes })
    return token.reveal()
  } finally {
    await database.close()
  }
}

async function run(name: string, target: Target, stores: number): Promise<void> {
  const startedAt = performance.now()
  const statuses = new Map<number, number>()
  for (let first = 0; first < stores; first += LINES_PER_BATCH) {
    const count = Math.min(LINES_PER_BATCH, stores - first)
    const lines = Array.from({ length: count }, (_, index) => JSON.stringify(storeLine(first + index)))
    for (const status of await sendBatch(target, lines)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const sums = [...statuses].map(([status, count]) => `${count} of ${status}`).join(', ')
  console.log(`| ${name} | ${seconds.toFixed(1)} | ${Math.round(stores / seconds)} | ${sums} |`)
}

function storeLine(number: number) {
  return {
    name: `Shop ${number}`,
    external_id: `shop-${number}`,
    database_url: `postgres://reader_${number}:password-${number}@db.example.com/shop_${number}?sslmode=verify-full`,
    keys: [{ name: 'Bookkeeping' }],
  }
}

async function sendBatch({ url, token }: Target, lines: readonly string[]): Promise<number[]> {
  const response = await fetch(`${url}/v1/stores/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the batch failed with ${response.status}: ${text}`)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).status)
}

/** Returns the numbers of stores, keys, and audit events, and a digest of the stores and keys. */
async function contentOf(controlUrl: string) {
  const sql = openClient(controlUrl)
  const [content] = await sql<[{ stores: number; keys: number; events: number; digest: string }]>`
    select (select count(*)::int from stores) as stores, (select count(*)::int from api_keys) as keys,
      (select count(*)::int from audit_events) as events,
      md5(concat((select string_agg(md5(s::text), '' order by id) from stores s),
        (select string_agg(md5(k::text), '' order by id) from api_keys k))) as digest`
  await sql.end()
  return content
}

/** Waits for the admin API. `startBuiltService` waits only for the export API. */
async function untilItListens({ url }: Target): Promise<void> {
  while ((await fetch(`${url}/openapi.json`).catch(() => null))?.status !== 200) await delay(50)
}

/** Returns a free port. The setting of the admin port needs one, because its value 0 turns the admin API off. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
