// Measures the service and the peers on one PostgreSQL server.

import { order } from '@store-export/contract'
import { withConnection } from '../../test/support/client.ts'
import { createApiClient } from '../lib/api-client.ts'
import { SERVICE_PROCESS, startChild } from '../lib/child.ts'
import { type Dataset, makeDataset } from '../lib/dataset.ts'
import { describeRun } from '../lib/results.ts'
import { medianOf, medianRatio, type Round, type Samples } from '../lib/rounds.ts'
import type { BenchServer } from '../lib/servers.ts'
import { type PageStart, spread, walkList } from '../lib/walk.ts'
import { type Asked, checkSame, checkSizes } from './peers-check.ts'
import { createPeerClient, type PeerClient } from './peers-client.ts'
import { PEERS, type Peer, type PeerStart, SERVICE } from './peers-list.ts'
import type { PeersOptions } from './peers-options.ts'
import type { PeerComparison, PeerFigure, PeersResult } from './peers-results.ts'
import { runInTurns, type Taker } from './peers-rounds.ts'
import { startPeer } from './peers-start.ts'

const PAGES = [
  { limit: 250, count: 20 },
  { limit: 50, count: 40 },
] as const
/** Numbers of connections for reads of rows by ID. */
const CONNECTIONS = [8, 32] as const
const ROWS = 400

/** Measures on an empty server and returns the result. `say` gets progress messages. */
export async function measurePeers(
  server: BenchServer,
  options: PeersOptions,
  say: (what: string) => void,
): Promise<PeersResult> {
  const { orders, rounds } = options
  say(`making ${orders} orders`)
  const dataset = await makeDataset(server, orders)
  // The service and four peers share the reader's role. A new store limits this role to 20 connections, but each peer can
  // open eight.
  await withConnection(server.url('postgres'), (admin) =>
    admin.script(`alter role "${new URL(dataset.readerUrl).username}" connection limit -1`),
  )
  try {
    return {
      ...describeRun('bench:peers', { server: server.kind, version: dataset.version, orders, rounds }),
      comparisons: await compareAll({ server, dataset, options, say }),
    }
  } finally {
    await dataset.sql.end()
  }
}

interface Measuring {
  readonly server: BenchServer
  readonly dataset: Dataset
  readonly options: PeersOptions
  readonly say: (what: string) => void
}

/** A running server, and the starts of the pages to request. */
interface Subject extends Asked {
  readonly processId: number
  readonly starts: readonly PeerStart[]
}

async function compareAll({ server, dataset, options, say }: Measuring): Promise<PeerComparison[]> {
  await using running = new AsyncDisposableStack()
  const subjects = await startAll(dataset, running, say)
  const rounds = { rounds: options.rounds, serverProcessId: server.processId }
  const compared = async (what: string, takers: readonly Taker[]): Promise<Omit<PeerComparison, 'connections'>> => {
    say(`measuring: ${what}`)
    const figures = figuresOf(subjects, await runInTurns(takers, rounds))
    checkSizes(what, figures)
    return { what, figures }
  }
  const comparisons: PeerComparison[] = []
  for (const { limit, count } of PAGES) {
    const takers = subjects.map((subject) => pages(subject, limit, count))
    comparisons.push({ ...(await compared(`page of ${limit} orders`, takers)), connections: 1 })
  }
  for (const connections of CONNECTIONS) {
    const takers = subjects.map((subject) => rows(subject, connections))
    comparisons.push({ ...(await compared('one order by ID', takers)), connections })
  }
  return comparisons
}

/** Starts the service and all peers. Rejects if a peer doesn't return the same orders. */
async function startAll(
  dataset: Dataset,
  running: AsyncDisposableStack,
  say: (what: string) => void,
): Promise<Subject[]> {
  const { controlUrl, secret, key } = dataset
  const child = running.adopt(startChild(SERVICE_PROCESS), (child) => child.close())
  const url = String(await child.call('start', { controlUrl, secret }))
  const clientOf = (url: string) =>
    running.adopt(createPeerClient(url, key, Math.max(...CONNECTIONS)), (client) => void client.close())
  say('reading the list')
  const walk = createApiClient(url, key)
  const starts = await walkList('orders', order, { client: walk, sql: dataset.sql }).finally(walk.close)
  const service: Subject = { ...(await subject(SERVICE, clientOf(url), starts)), processId: child.processId }
  const subjects = [service]
  for (const peer of PEERS) {
    say(`starting ${peer.name}`)
    const { url, processId } = running.adopt(await startPeer(peer.file, dataset), (started) => started.close())
    const asked = { ...(await subject(peer, clientOf(url), starts)), processId }
    await checkSame(service, asked, comparedPages(asked))
    subjects.push(asked)
  }
  return subjects
}

async function subject(peer: Peer, client: PeerClient, starts: readonly PageStart[]) {
  const own = await ownCursors(peer, client, starts.length)
  const placed = starts.map((start, index) => ({ ...start, offset: index * 250, own: own[index] ?? null }))
  return { peer, client, starts: placed }
}

/** Returns the cursors of all page starts of 250 orders, for a server that has its own cursors. */
async function ownCursors({ name, ends }: Peer, client: PeerClient, count: number): Promise<(string | null)[]> {
  if (ends === undefined) return []
  const cursors: (string | null)[] = [null]
  while (cursors.length < count) {
    const cursor = ends.cursor(await client.read(ends.ask(cursors.at(-1) ?? null)))
    if (cursor === null) throw new Error(`${name}: the list ends after ${cursors.length} pages instead of ${count}`)
    cursors.push(cursor)
  }
  return cursors
}

/** Returns the first page of each size, and one in the middle of the list. */
function comparedPages({ starts }: Subject) {
  const places = [starts[0], starts[Math.floor(starts.length / 2)]].filter((start) => start !== undefined)
  return places.flatMap((start) => PAGES.map(({ limit }) => ({ start, limit })))
}

function pages({ peer, client, processId, starts }: Subject, limit: number, count: number): Taker {
  // The last page may be short.
  const whole = starts.slice(0, -1)
  const turns = (round: Round) => spread(whole, count, round).map((start) => () => client.send(peer.page(start, limit)))
  return { name: peer.name, clock: peer.clock, processId, requests: 1, turns }
}

/** Returns one turn per round, with as many concurrent requests as connections. */
function rows({ peer, client, processId, starts }: Subject, connections: number): Taker {
  const send = async (round: Round) => {
    const ids = spread(starts.slice(1), ROWS, round).map(({ key }) => key.id)
    let bytes = 0
    const connection = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        // The sum is read after the wait, because other connections change it meanwhile.
        const size = await client.send(peer.row(id))
        bytes += size
      }
    }
    await Promise.all(Array.from({ length: connections }, connection))
    return bytes
  }
  return { name: peer.name, clock: peer.clock, processId, requests: ROWS, turns: (round) => [() => send(round)] }
}

function figuresOf(subjects: readonly Subject[], samples: Samples): PeerFigure[] {
  return subjects.map(({ peer: { name, version, checksKey } }) => {
    const own = samples.get(name) ?? []
    const ratio = (figure: 'totalMs' | 'wallMs') => medianRatio(samples, [name, SERVICE.name], figure)
    return {
      name,
      version,
      checksKey,
      processMs: medianOf(own, 'processMs'),
      databaseMs: medianOf(own, 'databaseMs'),
      totalMs: medianOf(own, 'totalMs'),
      wallMs: medianOf(own, 'wallMs'),
      kibibytes: medianOf(own, 'bytes') / 1024,
      cpuRatio: ratio('totalMs'),
      wallRatio: ratio('wallMs'),
    }
  })
}
