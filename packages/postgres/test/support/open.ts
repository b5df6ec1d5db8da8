// Opens connections and pools that are closed after the test.

import { onTestFinished } from 'vitest'
import { type ConnectOptions, connect } from '../../src/connect.ts'
import type { Connection } from '../../src/connection.ts'
import { parseConnectionUrl } from '../../src/connection-url.ts'
import { Pool, type PoolOptions } from '../../src/pool.ts'
import { queryRows } from '../../src/query.ts'
import type { Statement } from '../../src/statement.ts'

export async function open(url: string, options: Partial<ConnectOptions> = {}): Promise<Connection> {
  const connection = await connect(parseConnectionUrl(url), { applicationName: 'test', ...options })
  onTestFinished(() => connection.close())
  return connection
}

/** Creates a pool of at most 4 connections. */
export function openPool(url: string, options: Partial<PoolOptions> = {}): Pool {
  const pool = new Pool(parseConnectionUrl(url), { connectionsMax: 4, applicationName: 'test', ...options })
  onTestFinished(() => pool.close())
  return pool
}

/** Returns the first row of a statement on a connection. */
export async function firstRow(connection: Connection, statement: Statement): Promise<Record<string, unknown>> {
  const [row] = await queryRows<Record<string, unknown>>(connection, statement)
  if (row === undefined) throw new Error('the statement has no row')
  return row
}

/** Returns the URL with additional parameters. */
export function withParameters(url: string, parameters: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${parameters}`
}

/** Returns a deadline that is `ms` from now. */
export function within(ms: number): { readonly deadline: number } {
  return { deadline: performance.now() + ms }
}
