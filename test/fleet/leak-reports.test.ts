// Tests that the shipped load balancer configurations pass the largest report of leaked keys that a node reads.

import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'
import { startHaproxyOn, startNginxOn } from '../support/programs.ts'
import { shippedHaproxy, shippedNginx, withAddresses } from '../support/shipped-files.ts'

/** `BODY_BYTES_MAX` of packages/api/src/leak-reports/read-body.ts. */
const REPORT_BYTES_MAX = 4 * 1024 * 1024

const BALANCERS = {
  'deploy/nginx.conf': { file: shippedNginx, start: startNginxOn },
  'deploy/haproxy.cfg': { file: shippedHaproxy, start: startHaproxyOn },
}

/** Starts a server that stands in for two nodes. It responds with the number of bytes of the body. */
async function startNodes() {
  const server = http.createServer(async (request, response) => {
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    response.end(String(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const address = `127.0.0.1:${port}`
  const node = { api: address, dashboard: address, operationsPort: String(port) }
  return [node, node]
}

for (const [name, { file, start }] of Object.entries(BALANCERS))
  test(`if a client sends a leak report of 4 MiB through ${name}, the node receives the whole report`, async () => {
    const nodes = await startNodes()
    const text = await file()
    const dashboard = await nonEphemeralPort()
    const { url } = await start(({ port }) => withAddresses(text, nodes, { api: port, dashboard }))
    const response = await fetch(`${url}/leak-reports`, { method: 'POST', body: Buffer.alloc(REPORT_BYTES_MAX, ' ') })
    expect([response.status, await response.text()]).toEqual([200, String(REPORT_BYTES_MAX)])
  })
