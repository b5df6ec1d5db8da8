// Causes real errors in a running fleet, and checks that each of them fires its alert in Prometheus, and no other.
// Prometheus uses the rules of deploy/prometheus/alerts.yaml with shorter durations. test/fleet/alert-rules.test.ts
// tests the real durations.

import { randomBytes } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { migrate } from '@store-export/control'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from '../../packages/operator/test/support/command-process.ts'
import { createCluster } from '../../packages/operator/test/support/postgres-cluster.ts'
import {
  createPlatform,
  type RealNode,
  type RealStore,
  urlAtPorts,
} from '../../packages/operator/test/support/real-service.ts'
import { openProxy } from '../../packages/operator/test/support/tcp-proxy.ts'
import { alertRules } from '../../scripts/monitoring/alert-rules.ts'
import { JOB } from '../../scripts/monitoring/alerts.ts'
import { startPrometheus } from '../support/programs.ts'
import { createKeysFile, newScanner } from '../support/scanner.ts'

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 220_000 })

const SIZE = { orders: 20, customers: 5, products: 5, locations: 1, groups: 1 }
const INTERVAL_MS = 500
/** A minute becomes four seconds, and ten minutes become eight. */
const span = (seconds: number) => `${seconds > 120 ? seconds / 75 : seconds / 15}s`
/** Longest time from an error to its alert. In reality, it is two minutes. */
const ALERT_MS_MAX = 15_000
/** Time after the alert in which no other alert may fire. */
const QUIET_MS = 2000
/** Connections of the store server. */
const CONNECTIONS = 16
/** Requests of a key per minute. A client sends at most a quarter of them. */
const LIMIT = 1200
const CLIENT_MS = 200
/** Pause after an attempt to take a connection. It is shorter than that of a client. */
const TAKE_MS = 10
/** Delay of each response of a store. It is too long for its connections. */
const BUSY_MS = 400
/** Duration of a query. It is too long for clients. */
const SLOW_SECONDS = 2.7
/** The node holds two connections to a store, and two requests may wait. */
const SETTINGS = {
  REQUESTS_PER_MINUTE: String(LIMIT),
  SCHEMA_REFRESH_SECONDS: '1',
  STORE_TIMEOUT_MS: '20000',
  STORE_POOL_SIZE: '2',
  STORE_QUEUE_MAX: '2',
  LOG_LEVEL: 'error',
}

/** Clients that send requests at the same time, each with a pause after its response. */
interface Burst {
  readonly clients: number
  readonly pauseMs: number
}

/** Requests a page of each store, one after another, until the test ends. */
function startClients(node: RealNode, stores: readonly RealStore[]): void {
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  for (const store of stores) {
    const run = async () => {
      while (!isOver) {
        await node.get('/api/v1/store', store).catch(() => undefined)
        await after(CLIENT_MS)
      }
    }
    void run()
  }
}

/** An alert in the API of Prometheus. */
interface ActiveAlert {
  readonly state: string
  readonly labels: { readonly alertname: string }
  readonly annotations: { readonly summary: string }
}

/** Returns functions that read which alerts fire. */
function alertsOf(prometheusUrl: string) {
  const readFiring = async (): Promise<ActiveAlert[]> => {
    const response = await fetch(`${prometheusUrl}/api/v1/alerts`)
    const { data } = (await response.json()) as { data: { alerts: ActiveAlert[] } }
    return data.alerts.filter(({ state }) => state === 'firing')
  }
  const firing = async () => [...new Set((await readFiring()).map(({ labels }) => labels.alertname))].toSorted()
  const expectOnly = async (alert: string | null, untilMs: number) => {
    while (performance.now() < untilMs) {
      expect((await firing()).filter((each) => each !== alert)).toEqual([])
      await after(INTERVAL_MS / 2)
    }
  }
  return {
    /** Waits until the alert fires. Fails if another one fires before, or shortly afterwards. */
    async expectAlert(alert: string) {
      const limit = performance.now() + ALERT_MS_MAX
      for (;;) {
        const names = await firing()
        expect(names.filter((each) => each !== alert)).toEqual([])
        if (names.length > 0) break
        if (performance.now() > limit) throw new Error(`${alert} did not fire`)
        await after(INTERVAL_MS / 2)
      }
      await expectOnly(alert, performance.now() + QUIET_MS)
    },
    /** Waits until the alert has ended. Fails if another one fires meanwhile. */
    async expectEnd(alert: string) {
      const limit = performance.now() + ALERT_MS_MAX
      for (let names = await firing(); names.length > 0; names = await firing()) {
        expect(names).toEqual([alert])
        if (performance.now() > limit) throw new Error(`${alert} did not end`)
        await after(INTERVAL_MS / 2)
      }
    },
    summaries: async () => (await readFiring()).map(({ annotations }) => annotations.summary),
    expectQuiet: (ms: number) => expectOnly(null, performance.now() + ms),
  }
}

/** Takes each connection that a server has free, until `release`. */
function takeConnections(url: string) {
  const taken: ReturnType<typeof openClientForTest>[] = []
  const { promise: full, resolve: isFull } = Promise.withResolvers<void>()
  let isOver = false
  const take = async () => {
    while (!isOver) {
      const sql = openClientForTest(url)
      const isTaken = await sql`select 1`.then(
        () => true,
        () => false,
      )
      if (isTaken) taken.push(sql)
      else {
        isFull()
        await after(TAKE_MS)
      }
    }
  }
  const running = take()
  return {
    /** Resolves when the server has refused a connection. */
    full,
    async release() {
      isOver = true
      await running
      await Promise.all(taken.map((sql) => sql.end({ timeout: 1 })))
    },
  }
}

test('if an error starts in a fleet, only the alert of this error fires, and the alert ends when the error is fixed', async () => {
  const [control, server] = [await createCluster(), await createCluster({ max_connections: String(CONNECTIONS) })]
  await Promise.all([control.start(), server.start()])
  await openClientForTest(control.url())`create database control`
  await migrate({ url: control.url('control'), random: randomBytes })
  const platform = await createPlatform(control.url('control'))
  const scanner = newScanner()
  const keys = await createKeysFile(scanner)
  onTestFinished(() => keys.remove())
  const [healthy, lost] = [await platform.createStore(SIZE), await platform.createStore(SIZE, server.url())]
  const proxy = await openProxy(Number(new URL(healthy.readerUrl).port))
  const proxied = await platform.addStore(healthy, urlAtPorts(healthy.readerUrl, [proxy.port]))
  const busy = await platform.addStore(healthy, healthy.readerUrl)
  const frozen = await openProxy(Number(new URL(healthy.readerUrl).port))
  // Real attempts take up to 3 s, which the alert's shorter durations would not fit.
  const frozenUrl = urlAtPorts(healthy.readerUrl, [frozen.port], '?connect_timeout=1')
  const hanging = await platform.addStore(healthy, frozenUrl)
  const slow = await platform.createStore(SIZE)
  const settings = { ...SETTINGS, LEAK_REPORT_KEYS_FILE: keys.path }
  const [node, other] = [await platform.startNode({ settings }), await platform.startNode({ settings })]
  const prometheus = await startPrometheus({
    targets: [node, other].map(({ operationsUrl }) => new URL(operationsUrl).host),
    job: JOB,
    rules: alertRules(span),
    intervalMs: INTERVAL_MS,
  })
  startClients(node, [healthy, lost, proxied, slow, slow])
  const alerts = alertsOf(prometheus.url)
  // Before the first scrape, no node was a target.
  await alerts.expectEnd('StoreExportNodeDown')
  await alerts.expectQuiet(6000)

  /** Causes an error, expects its alert, fixes the error, and expects the end of the alert. */
  const expectAlert = async (alert: string, cause: () => unknown, fix: () => unknown = () => undefined) => {
    await cause()
    await alerts.expectAlert(alert)
    await fix()
    await alerts.expectEnd(alert)
  }
  const burst = (store: RealStore, { clients, pauseMs }: Burst) => {
    let isOver = false
    const send = async () => {
      while (!isOver) {
        await node.get('/api/v1/store', store).catch(() => undefined)
        await after(pauseMs)
      }
    }
    const running = Array.from({ length: clients }, send)
    return async () => {
      isOver = true
      await Promise.all(running)
    }
  }

  await expectAlert(
    'StoreExportControlDatabaseDown',
    () => control.stop('fast'),
    () => control.start(),
  )
  await expectAlert(
    'StoreExportStoreServerDown',
    () => server.stop('fast'),
    () => server.start(),
  )

  let taker: ReturnType<typeof takeConnections> | undefined
  const admin = openClientForTest(server.url())
  await expectAlert(
    'StoreExportStoreServerFull',
    async () => {
      await admin`select 1`
      taker = takeConnections(server.url())
      await taker.full
      // The next connection that the server has free is taken before the node connects again.
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'store-export'`
    },
    () => taker?.release(),
  )

  const database = new URL(lost.readerUrl).pathname.slice(1)
  await expectAlert(
    'StoreExportStoreFailing',
    async () => {
      await admin.unsafe(`alter database "${database}" allow_connections false`)
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`
    },
    () => admin.unsafe(`alter database "${database}" allow_connections true`),
  )

  let stop = async (): Promise<void> => undefined
  await expectAlert(
    'StoreExportStoreFailing',
    () => {
      frozen.setMode({ kind: 'freeze' })
      stop = burst(hanging, { clients: 1, pauseMs: 0 })
    },
    async () => {
      expect(await alerts.summaries()).toEqual([expect.stringContaining(`server 127.0.0.1:${frozen.port}, or`)])
      frozen.setMode({ kind: 'forward' })
      await stop()
    },
  )
  await expectAlert(
    'StoreExportNoFreeConnection',
    () => {
      proxy.setMode({ kind: 'delay', ms: BUSY_MS })
      stop = burst(proxied, { clients: 8, pauseMs: 500 })
    },
    async () => {
      await stop()
      proxy.setMode({ kind: 'forward' })
    },
  )
  // Only queries are slow. Slow connections would make a request wait for several responses.
  const owner = openClientForTest(slow.ownerUrl)
  await expectAlert(
    'StoreExportSlowResponses',
    () =>
      owner.unsafe(`begin; alter table store rename to kept;
        create view store as select kept.* from kept, pg_sleep(${SLOW_SECONDS});
        grant select on store to "${new URL(slow.readerUrl).username}"; commit`),
    () => owner.unsafe('begin; drop view store; alter table kept rename to store; commit'),
  )
  await expectAlert(
    'StoreExportKeysOverLimit',
    () => {
      stop = burst(busy, { clients: 4, pauseMs: 0 })
    },
    () => stop(),
  )
  await expectAlert('StoreExportKeyLeaked', async () => {
    const body = JSON.stringify([
      { token: busy.key, type: 'store_export_key', url: 'https://x.test', source: 'commit' },
    ])
    const response = await fetch(`${node.url}/leak-reports`, {
      method: 'POST',
      headers: scanner.headersFor(body),
      body,
    })
    expect(response.status).toBe(200)
  })
  await expectAlert('StoreExportSchemaMismatch', async () => {
    const role = new URL(healthy.readerUrl).username
    await openClientForTest(healthy.ownerUrl).unsafe(`revoke select (store_timezone) on store from "${role}"`)
  })
  await other.running.end('SIGKILL')
  await alerts.expectAlert('StoreExportNodeDown')
})
