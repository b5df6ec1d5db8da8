// Creates the spans and metrics of requests in a separate process, which has no other work.

import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestTelemetry } from '@store-export/api'
import { startSdk } from '../../packages/operator/src/opentelemetry/start-sdk.ts'
import type { Telemetry } from '../../packages/operator/src/opentelemetry/telemetry.ts'
import { handleCalls } from '../lib/child-calls.ts'

/** Number of requests between two pauses of 10 ms. */
const BURST = 100
const ID = 'a4679ace-51b5-4aad-a5f2-57319a5786ec'

let telemetry: Telemetry | undefined

handleCalls({ start, run }, async () => telemetry?.close())

/** Starts the SDK with these environment variables. */
async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  Object.assign(process.env, environment)
  telemetry = startSdk('0.1.0', (event) => console.error(event))
}

/** Records requests, each with the check of a key and a read. */
async function run(requests: number): Promise<void> {
  for (let n = 0; n < requests; n++) {
    telemetry?.record(requestEndingAt(performance.now()))
    if (n % BURST === 0) await sleep(10)
  }
}

function requestEndingAt(now: number): RequestTelemetry {
  const call = { connectedAt: null, databaseUrl: null, error: null }
  return {
    ...{ requestId: ID, keyId: ID, storeId: ID, route: '/api/v1/customers', method: 'GET', status: 200 },
    ...{ startedAt: now - 2, durationMs: 2, traceparent: null },
    calls: [
      { ...call, summary: 'SELECT api_keys', startedAt: now - 2, endedAt: now - 1.5 },
      {
        ...{ summary: 'SELECT customers', databaseUrl: 'postgres://reader@db.internal:5432/shop', error: null },
        ...{ startedAt: now - 1.4, connectedAt: now - 1.3, endedAt: now - 0.2 },
      },
    ],
  }
}
