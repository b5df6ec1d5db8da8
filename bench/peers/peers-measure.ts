// Compares the service with its peers: other servers that return the same orders from one PostgreSQL server. Measures
// the processor time, the wall time, and the bytes of a request.

import { order } from '@store-export/contract'
import { withConnection } from '../../test/support/client.ts'
import { createApiClient } from '../lib/api-client.ts'
import { SERVICE_PROCESS, startChild } from '../lib/child.ts'
import { type Dataset, makeDataset } from '../lib/dataset.ts'
import { describeRun } from '../lib/results.ts'
import { medianOf, medianRatio, type Round, type Samples } from '../lib/rounds.ts'
import type { BenchServer } from '../lib/servers.ts'
import { type PageStart, spread, walkList } from '../lib/walk.ts'
import { type ComparedServer, checkSame, checkSizes } from './peers-check.ts'
import { createPeerClient, type PeerClient } from './peers-client.ts'
import { PEERS, type Peer, type PeerStart, SERVICE } from './peers-list.ts'
import type { PeersOptions } from './peers-options.ts'
import type { PeerComparison, PeerFigure, PeersResult } from './peers-results.ts'
import { type Participant, runInTurns } from './peers-rounds.ts'
import { startPeer } from './peers-start.ts'

/** Sizes of pages, and how many of them each server returns in a round. */
const PAGES = [
  { limit: 250, count: 20 },
  { limit: 50, count: 40 },
] as const
/** Numbers of connections for reads of rows by ID. */
const CONNECTIONS = [8, 32] as const
/** Orders that each server returns by their IDs in one turn. */
const ROWS = 400

/** Fills `server`, which must be empty, runs all comparisons, and returns the result. `log` gets progress messages. */
export async function measurePeers(
  server: BenchServer,
  options: PeersOptions,
  log: (what: string) => void,
): Promise<PeersResult> {
  const { orders, rounds } = options
  log(`making ${orders} orders`)
  const dataset = await makeDataset(server, orders)
  // The service and four peers share the reader's role. `provisionStore` limits this role to 20 connections, but each
  // peer can open eight.
  await withConnection(server.url('postgres'), (admin) =>
    admin.script(`alter role "${new URL(dataset.readerUrl).username}" connection limit -1`),
  )
  try {
    return {
      ...describeRun('bench:peers', { server: server.kind, version: dataset.version, orders, rounds }),
      comparisons: await compareAll({ server, dataset, options, log }),
    }
  } finally {
    await dataset.sql.end()
  }
}

interface ComparisonOptions {
  readonly server: BenchServer
  readonly dataset: Dataset
  readonly options: PeersOptions
  readonly log: (what: string) => void
}

/** A running server, and the positions at which its pages of 250 orders start. */
interface MeasuredServer extends ComparedServer {
  readonly processId: number
  readonly starts: readonly PeerStart[]
}

async function compareAll({ server, dataset, options, log }: ComparisonOptions): Promise<PeerComparison[]> {
  await using running = new AsyncDisposableStack()
  const servers = await startAll(dataset, running, log)
  const rounds = { rounds: options.rounds, serverProcessId: server.processId }
  const compared = async (
    what: string,
    participants: readonly Participant[],
  ): Promise<Omit<PeerComparison, 'connections'>> => {
    log(`measuring: ${what}`)
    const figures = figuresOf(servers, await runInTurns(participants, rounds))
    checkSizes(what, figures)
    return { what, figures }
  }
  const comparisons: PeerComparison[] = []
  for (const { limit, count } of PAGES) {
    const participants = servers.map((server) => pages(server, limit, count))
    comparisons.push({ ...(await compared(`page of ${limit} orders`, participants)), connections: 1 })
  }
  for (const connections of CONNECTIONS) {
    const participants = servers.map((server) => rows(server, connections))
    comparisons.push({ ...(await compared('one order by ID', participants)), connections })
  }
  return comparisons
}

/**
 * Starts the service and all peers. Rejects if a peer returns other orders than the service on one of the
 * `comparedPages`.
 */
async function startAll(
  dataset: Dataset,
  running: AsyncDisposableStack,
  log: (what: string) => void,
): Promise<MeasuredServer[]> {
  const { controlUrl, secret, key } = dataset
  const child = running.adopt(startChild(SERVICE_PROCESS), (child) => child.close())
  const url = String(await child.call('start', { controlUrl, secret }))
  const clientOf = (url: string) =>
    running.adopt(createPeerClient(url, key, Math.max(...CONNECTIONS)), (client) => void client.close())
  log('reading the list')
  const walk = createApiClient(url, key)
  const starts = await walkList('orders', order, { client: walk, sql: dataset.sql }).finally(walk.close)
  const service: MeasuredServer = {
    ...(await withPageStarts(SERVICE, clientOf(url), starts)),
    processId: child.processId,
  }
  const servers = [service]
  for (const peer of PEERS) {
    log(`starting ${peer.name}`)
    const { url, processId } = running.adopt(await startPeer(peer.file, dataset), (started) => started.close())
    const server = { ...(await withPageStarts(peer, clientOf(url), starts)), processId }
    await checkSame(service, server, comparedPages(server))
    servers.push(server)
  }
  return servers
}

async function withPageStarts(peer: Peer, client: PeerClient, starts: readonly PageStart[]) {
  const cursors = await peerCursors(peer, client, starts.length)
  const peerStarts = starts.map((start, index) => ({
    ...start,
    // `walkList` finds the starts of pages of 250 orders. The pages of 50 start at the same positions.
    offset: index * 250,
    peerCursor: cursors[index] ?? null,
  }))
  return { peer, client, starts: peerStarts }
}

/**
 * Requests the cursor that each page of 250 orders starts after; null for the first page. Returns an empty array for a
 * server without `Peer.ends`, whose pages need no cursor from the server.
 */
async function peerCursors({ name, ends }: Peer, client: PeerClient, count: number): Promise<(string | null)[]> {
  if (ends === undefined) return []
  const cursors: (string | null)[] = [null]
  while (cursors.length < count) {
    const cursor = ends.cursor(await client.read(ends.request(cursors.at(-1) ?? null)))
    if (cursor === null) throw new Error(`${name}: the list ends after ${cursors.length} pages instead of ${count}`)
    cursors.push(cursor)
  }
  return cursors
}

/** For each page size, returns the first page and a page in the middle of the list. */
function comparedPages({ starts }: MeasuredServer) {
  const places = [starts[0], starts[Math.floor(starts.length / 2)]].filter((start) => start !== undefined)
  return places.flatMap((start) => PAGES.map(({ limit }) => ({ start, limit })))
}

function pages({ peer, client, processId, starts }: MeasuredServer, limit: number, count: number): Participant {
  // The last page may be short.
  const whole = starts.slice(0, -1)
  const turns = (round: Round) => spread(whole, count, round).map((start) => () => client.send(peer.page(start, limit)))
  return { name: peer.name, clock: peer.clock, processId, requests: 1, turns }
}

/**
 * Returns the participant that requests orders by ID. Each round has one turn, which sends `ROWS` requests over
 * `connections` connections.
 */
function rows({ peer, client, processId, starts }: MeasuredServer, connections: number): Participant {
  const send = async (round: Round) => {
    // A start's key has the ID of the last order before the page. The first page has none.
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

function figuresOf(servers: readonly MeasuredServer[], samples: Samples): PeerFigure[] {
  return servers.map(({ peer: { name, version, checksKey } }) => {
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
