import { expect, test } from 'vitest'
import { ConnectionBudget } from './connection-budget.ts'
import { serverUses } from './server-use.ts'

test('if the last attempt to connect to a server failed, the service reports the server as unreachable, timeout, or full', () => {
  const servers = new Map(['ok', 'lost', 'full', 'hung', 'back'].map((server) => [server, new ConnectionBudget(20)]))
  const fail = (server: string, code: string) =>
    servers.get(server)?.pause.failed(Object.assign(new Error('failed'), { code }), 1)
  fail('lost', 'ECONNREFUSED')
  fail('full', '53300')
  fail('back', 'ECONNREFUSED')
  servers.get('back')?.pause.succeeded()
  for (const budget of [servers.get('hung'), servers.get('lost')]) if (budget !== undefined) budget.timedOutAt = 1
  const uses = serverUses(servers, { running: [], waiting: [] })
  expect(uses.map(({ server, failure }) => [server, failure])).toEqual([
    ['ok', null],
    ['lost', 'unreachable'],
    ['full', 'full'],
    ['hung', 'timeout'],
    ['back', null],
  ])
  for (const { failure, failureAgeMs } of uses) expect(failureAgeMs === null).toBe(failure === null)
})
