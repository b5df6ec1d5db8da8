import { stripVTControlCharacters, styleText } from 'node:util'
import type { FleetStatus } from '@store-export/control'
import { expect, test } from 'vitest'
import { fleetScreen } from './fleet-screen.ts'

const AT = new Date('2026-11-25T03:12:07Z')
const secondsAgo = (seconds: number) => new Date(AT.getTime() - seconds * 1000)
const ID = 'a4679ace-51b5-4aad-a5f2-57319a5786ec'
const USE = { nodes: 2, limit: 40, open: 40, waiting: 3, isFailing: false }

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
    { ...USE, server: 'db-2:5432', inUse: 0, saturation: 0, isFailing: true },
  ],
  slowestStores: [{ id: ID, externalId: null, name: 'Slow', slowestMs: 4801, endpoint: '/api/v1/orders', requests: 6 }],
  limitedKeys: [],
  failingStores: [{ id: ID, externalId: null, name: 'Evil\x1b[2J\u0007', errors: 1200, lastAt: secondsAgo(60) }],
}
const plain = (_: unknown, text: string) => text
const colored = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { validateStream: false })

test('with enough width, the screen has nodes, stores, servers, and problems in aligned columns', () => {
  expect(fleetScreen(FLEET, { width: 120, style: plain }).join('\n')).toBe(
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
  errors  last       store                                 name
   1,200  1 min ago  ${ID}  Evil?[2J?

Slowest stores, last hour
   slowest  endpoint        store                                 name
  4,801 ms  /api/v1/orders  ${ID}  Slow

Keys over their limit, last 15 minutes
  none`,
  )
})

test('in a narrow terminal, no line is longer than its width, and a cut line ends its style', () => {
  for (const width of [20, 40, 80]) {
    for (const line of fleetScreen(FLEET, { width, style: colored })) {
      const shown = stripVTControlCharacters(line)
      expect(Array.from(shown).length).toBeLessThanOrEqual(width)
      expect(shown).not.toMatch(/\p{Cc}/u)
      const styles = line.split('\x1b[').slice(1)
      if (styles.length > 0) expect(styles.at(-1)).toMatch(/^(?:0|39|22)m/)
    }
  }
})
