import { stripVTControlCharacters, styleText } from 'node:util'
import type { FleetStatus } from '@store-export/control'
import { expect, test } from 'vitest'
import { fleetScreen } from './fleet-screen.ts'

const AT = new Date('2026-11-25T03:12:07Z')
const secondsAgo = (seconds: number) => new Date(AT.getTime() - seconds * 1000)
const ID = 'a4679ace-51b5-4aad-a5f2-57319a5786ec'
const USE = { nodes: 2, limit: 40, open: 40, waiting: 3, failure: null }

const FLEET: FleetStatus = {
  at: AT,
  nodes: [
    { name: 'web-1 (pid 71)', version: '1.2.3', startedAt: secondsAgo(7200), seenAt: secondsAgo(4), isAlive: true },
    { name: 'web-2 (pid 9)', version: null, startedAt: secondsAgo(864_000), seenAt: secondsAgo(130), isAlive: false },
  ],
  stores: [
    { origin: 'generated', state: 'generating', count: 12 },
    { origin: 'generated', state: 'ready', count: 9988 },
  ],
  servers: [
    { ...USE, server: 'db-1:5432', inUse: 38, saturation: 0.95 },
    { ...USE, server: 'db-2:5432', inUse: 0, saturation: 0, failure: 'unreachable' },
  ],
  slowestStores: [
    { id: ID, externalId: null, name: 'Slow\x1b[8m', slowestMs: 4801, endpoint: '/api/v1/orders', requests: 6 },
  ],
  limitedKeys: [],
  workers: [],
  requestLogError: null,
  failingStores: [
    { id: ID, externalId: null, name: 'Evil\x1b[2J\u0007', server: 'db-2:5432', errors: 1200, lastAt: secondsAgo(60) },
  ],
}
const PROBLEM = 'the database does not respond: db-0.internal:5432 did not accept the session within 4000 ms'
const plain = (_: unknown, text: string) => text
const colored = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { validateStream: false })

test('in a terminal of 120 columns, the fleet screen shows nodes, servers, and stores in aligned columns', () => {
  expect(fleetScreen(FLEET, { width: 120, style: plain, problem: null, requestLogProblem: null }).join('\n')).toBe(
    `2026-11-25T03:12:07Z  10,000 stores (12 generating, 9,988 ready)

Nodes: 1 of 2 alive
  node            version  state  seen       started
  web-1 (pid 71)  1.2.3    alive  4 s ago    2 h ago
  web-2 (pid 9)   unknown  gone   2 min ago  10 d ago

Servers by saturation
  in use  connections  waiting  state        server
    95 %     38 of 40        3  ok           db-1:5432
     0 %      0 of 40        3  unreachable  db-2:5432

Stores with database errors, last 15 minutes
  errors  last       store                                 server     name
   1,200  1 min ago  ${ID}  db-2:5432  Evil?[2J?

Slowest stores, last hour
   slowest  endpoint        store                                 name
  4,801 ms  /api/v1/orders  ${ID}  Slow?[8m

Keys over their limit, last 15 minutes
  none`,
  )
})

test('in a narrow terminal, no line of the fleet screen exceeds the width of the terminal, and a cut line resets its style', () => {
  for (const width of [20, 40, 80]) {
    for (const line of fleetScreen(FLEET, { width, style: colored, problem: PROBLEM, requestLogProblem: null })) {
      const shown = stripVTControlCharacters(line)
      expect(Array.from(shown).length).toBeLessThanOrEqual(width)
      expect(shown).not.toMatch(/\p{Cc}/u)
      const styles = line.split('\x1b[').slice(1)
      if (styles.length > 0) expect(styles.at(-1)).toMatch(/^(?:0|39|22)m/)
    }
  }
})

test('if 30 nodes run two versions, the fleet screen counts the nodes of each version and lists the first ten nodes', () => {
  const node = { name: 'web', version: '1.2.3', startedAt: AT, seenAt: AT, isAlive: true }
  const nodes = Array.from({ length: 30 }, (_, n) => (n < 9 ? { ...node, version: '1.3.0' } : node))
  const lines = fleetScreen({ ...FLEET, nodes }, { width: 120, style: plain, problem: null, requestLogProblem: null })
  expect(lines).toContain('Nodes: 30 of 30 alive (21 with 1.2.3, 9 with 1.3.0); the first 10:')
  expect(lines.filter((line) => line.startsWith('  web '))).toHaveLength(10)
})

test('if a refresh of the fleet fails, the fleet screen begins with the time of the last refresh and the reason', () => {
  const lines = fleetScreen(FLEET, { width: 60, style: plain, problem: PROBLEM, requestLogProblem: null })
  expect(lines.slice(0, 5)).toEqual([
    'Not refreshed since 03:12:07Z: the database does not',
    'respond: db-0.internal:5432 did not accept the session',
    'within 4000 ms',
    '',
    expect.stringMatching(/^2026-11-25T03:12:07Z/),
  ])
})

test('if a worker is lost, the fleet screen shows it, and the error in place of stores and keys with problems', () => {
  const requestLogProblem = 'could not connect\n\tto the worker'
  const lost = { server: 'citus-2:5432', failure: 'timeout' } as const
  const workers = [lost, { server: 'citus-1:5432', failure: null }]
  const lines = fleetScreen({ ...FLEET, workers }, { width: 120, style: plain, problem: null, requestLogProblem })
  expect(lines.slice(2, 6)).toEqual([
    'Workers of the control database: 1 of 2 reachable',
    '  state    server',
    '  timeout  citus-2:5432',
    '  ok       citus-1:5432',
  ])
  expect(lines.at(-1)).toBe("The request log can't be read: could not connect to the worker")
  expect(lines.join('\n')).toContain('db-2:5432')
  expect(lines.join('\n')).not.toContain('Slowest stores')
})
