// Creates the variants: pages of a list with COPY of the same rows as the baseline, and requests without a baseline.

import { LIMITS, order, type Resource } from '@store-export/contract'
import type { Sql } from 'postgres'
import { type ApiClient, pagePath } from '../lib/api-client.ts'
import type { Child } from '../lib/child.ts'
import { copyStatements } from '../lib/copy-statements.ts'
import type { Round, Variant } from '../lib/rounds.ts'
import type { PageStart } from '../lib/walk.ts'
import type { Psql } from './psql.ts'

/** The clients and processes that the variants use. */
export interface Bench {
  readonly client: ApiClient
  readonly sql: Sql
  readonly service: Child
  readonly copy: Child
  /** The running psql; null if the machine has no psql. */
  readonly psql: Psql | null
}

/** The pages of one list that a round reads. */
export interface Pages {
  readonly name: string
  readonly resource: Resource
  readonly limit: number
  readonly count: number
  readonly starts: (round: Round) => readonly PageStart[]
}

/** Returns the names of the variants that read the rows of `name` with COPY, by client. */
export function baselinesOf(name: string): { readonly node: string; readonly libpq: string } {
  return { node: `${name}: COPY`, libpq: `${name}: COPY by libpq` }
}

/** Returns variants for the pages, and for COPY of their rows by each client. */
export function pages(bench: Bench, { name, resource, limit, count, starts }: Pages): Variant[] {
  const { service, copy } = bench
  const baseline = baselinesOf(name).node
  const paths = (round: Round) => starts(round).map(({ cursor }) => pagePath(resource.table, limit, cursor))
  const statements = (round: Round) => starts(round).flatMap(({ key }) => copyStatements(resource, key, limit))
  return [
    {
      ...{ name: baseline, processId: copy.processId, requests: count },
      run: async (round) => Number(await copy.call('run', statements(round))),
    },
    ...copyByLibpq(bench, name, { count, statements }),
    {
      ...{ name, processId: service.processId, requests: count, baseline },
      run: (round) => getAll(bench, { paths: paths(round) }),
    },
  ]
}

function copyByLibpq(
  { psql }: Bench,
  name: string,
  { count, statements }: { count: number; statements: (round: Round) => readonly string[] },
): Variant[] {
  if (psql === null) return []
  return [
    {
      ...{ name: baselinesOf(name).libpq, processId: psql.processId, requests: count },
      run: async (round) => {
        await psql.run(statements(round))
        // psql doesn't report how many bytes it has read.
        return 0
      },
    },
  ]
}

/** Returns variants for the same pages of 250 orders in every round. */
export function edge(bench: Bench, name: string, starts: readonly PageStart[]): Variant[] {
  return pages(bench, { name, resource: order, limit: LIMITS.pageRowsMax, count: starts.length, starts: () => starts })
}

/** Requests of one variant. Each round has the same number of paths. */
export interface Requests {
  readonly name: string
  readonly paths: (round: Round) => readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a variant for requests without a baseline. */
export function requests(bench: Pick<Bench, 'client' | 'service'>, { name, paths, headers = {} }: Requests): Variant {
  const count = paths({ index: 0, count: 1 }).length
  const run = (round: Round) => getAll(bench, { paths: paths(round), headers })
  return { name, processId: bench.service.processId, requests: count, run }
}

/** Gets these paths in turn. Returns the total number of bytes. */
async function getAll(
  { client }: Pick<Bench, 'client'>,
  { paths, headers = {} }: { paths: readonly string[]; headers?: Readonly<Record<string, string>> },
): Promise<number> {
  let bytes = 0
  for (const path of paths) bytes += (await client.get(path, headers)).bytes
  return bytes
}
