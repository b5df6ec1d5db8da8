import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import type { ServiceEvent } from '../../operator/src/events.ts'
import { type RawResponse, sendRequest } from './support/http.ts'
import { startNode } from './support/start-node.ts'

const READERS = 350
/** Processor time of each response, in ms. The node can send at most 200 responses per second. */
const WORK_MS = 5

let platform: TestPlatform

beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

test('[ERR-3] if a node gets more requests than its processor can handle, it rejects some with 502 and Retry-After, and serves the others', async () => {
  const events: ServiceEvent[] = []
  const emit = (event: ServiceEvent) => {
    events.push(event)
    if (event.event === 'request.completed') useProcessor(WORK_MS)
  }
  const node = await startNode(platform, {}, { emit })
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: READERS })
  const read = () => sendRequest(node.url, { path: '/openapi.json', agent })
  const responses: RawResponse[] = []
  const isRejected = ({ status }: RawResponse) => status === 502
  const reader = async () => {
    do responses.push(await read())
    while (!responses.some(isRejected))
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  const rejected = responses.filter(isRejected)
  for (const { headers, json } of rejected) {
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(json.error.code).toBe('STORE_DB_ERROR')
  }
  expect(events.filter(({ event }) => event === 'request.rejected')).toHaveLength(rejected.length)
  for (const { status } of responses) expect([200, 502]).toContain(status)
  expect((await read()).status).toBe(200)
  agent.destroy()
  await node.close()
}, 60_000)

function useProcessor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}
