// Tests the PostgreSQL client behind PgBouncer in transaction mode, where each transaction can get another server
// connection.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'
import { connect } from '../../packages/postgres/src/connect.ts'
import { parseConnectionUrl } from '../../packages/postgres/src/connection-url.ts'
import { PostgresError } from '../../packages/postgres/src/errors.ts'
import { Pool } from '../../packages/postgres/src/pool.ts'
import { queryRows } from '../../packages/postgres/src/query.ts'
import { sql } from '../../packages/postgres/src/statement.ts'
import { startPgbouncer } from '../support/programs.ts'

const CLIENTS = 8
const ROUNDS = 40
/** 26000: the server connection does not know the statement. 42P05: it already does. */
const MIX_UP = /^(26000|42P05)$/

/** Starts a pooler with two connections to the database. Returns the URL of the database through the pooler. */
async function pooled(settings: string): Promise<string> {
  const url = new URL(inject('postgresUrl'))
  const port = await nonEphemeralPort()
  await startPgbouncer({ port, urls: [url.href], settings: `default_pool_size = 2\n${settings}` })
  return Object.assign(url, { port: String(port) }).href
}

async function hasVersion([major, minor]: readonly [number, number]): Promise<boolean> {
  const { stdout } = await promisify(execFile)('pgbouncer', ['--version']).catch(() => ({ stdout: '' }))
  const [, first = '0', second = '0'] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(first) > major || (Number(first) === major && Number(second) >= minor)
}

/** Returns a prepared statement whose row contains its number and its value. */
function statementOf(n: number, value: string) {
  return {
    text: `select ${n} as n, $1::text as value, pg_sleep(0.001)::text as slept`,
    values: [value],
    prepared: true,
  }
}

/** PgBouncer 1.21 added support for prepared statements. */
const supportsStatements = await hasVersion([1, 21])
const SUPPORT_ON = 'max_prepared_statements = 100'

const KINDS: readonly (readonly [name: string, settings: string])[] = [
  ['without support for prepared statements', supportsStatements ? 'max_prepared_statements = 0' : ''],
  ...(supportsStatements ? [['with support for prepared statements', SUPPORT_ON] as const] : []),
]

describe.each(KINDS)('the PostgreSQL client behind PgBouncer %s', (_, settings) => {
  test('if a pool runs prepared statements through PgBouncer, each statement returns its own rows', async () => {
    const pool = new Pool(parseConnectionUrl(await pooled(settings)), {
      connectionsMax: CLIENTS,
      applicationName: 'test',
    })
    onTestFinished(() => pool.close())
    const requests = Array.from({ length: CLIENTS * ROUNDS }, async (__, round) => {
      const n = round % 5
      expect(await pool.query(statementOf(n, `value ${round}`))).toEqual([{ n, value: `value ${round}`, slept: '' }])
    })
    await Promise.all(requests)
  })

  test('if PgBouncer mixes up prepared statements, the client throws an error and returns no rows of another statement', async () => {
    const target = parseConnectionUrl(await pooled(settings))
    let [right, mixedUp] = [0, 0]
    const client = async () => {
      const connection = await connect(target, { applicationName: 'test' })
      onTestFinished(() => connection.close())
      for (let round = 0; round < ROUNDS; round++) {
        const n = round % 5
        try {
          const rows = await queryRows(connection, statementOf(n, `value ${round}`))
          expect(rows).toEqual([{ n, value: `value ${round}`, slept: '' }])
          right++
        } catch (error) {
          if (!(error instanceof PostgresError)) throw error
          expect(error.code).toMatch(MIX_UP)
          mixedUp++
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    expect(right + mixedUp).toBe(CLIENTS * ROUNDS)
    expect(mixedUp > 0).toBe(settings !== SUPPORT_ON)
  })

  test('if prepared statements are off, a pool runs every statement through PgBouncer without an error', async () => {
    const options = { connectionsMax: CLIENTS, applicationName: 'test', preparedStatements: false }
    const pool = new Pool(parseConnectionUrl(await pooled(settings)), options)
    onTestFinished(() => pool.close())
    await Promise.all(
      Array.from({ length: CLIENTS }, (__, n) =>
        pool.use(async (connection) => {
          for (let round = 0; round < ROUNDS; round++)
            expect(await queryRows(connection, sql`select ${n}::int as n, ${round}::int as round`)).toEqual([
              { n, round },
            ])
        }),
      ),
    )
  })

  test('a pool that connects through PgBouncer runs groups of statements and transactions, and cancels an aborted statement', async () => {
    const pool = new Pool(parseConnectionUrl(await pooled(settings)), { connectionsMax: 2, applicationName: 'test' })
    onTestFinished(() => pool.close())
    const tags: string[] = []
    const sink = { format: 'text', row: () => undefined, completed: (tag: string) => void tags.push(tag) } as const
    const [good, bad] = [sql`select 1`, sql`select 1 / 0`].map((statement) => ({ statement, sink }))
    if (good === undefined || bad === undefined) throw new Error('no statements')
    const errors = await pool.use((connection) => connection.run([[good], [bad, good], [good, good]]))
    expect(errors).toEqual([null, expect.objectContaining({ code: '22012' }), null])
    expect(tags).toEqual(['SELECT 1', 'SELECT 1', 'SELECT 1'])
    const pids = await pool.transaction(async (connection) => {
      const pid = sql`select pg_backend_pid() as pid`
      return [await queryRows(connection, pid), await queryRows(connection, pid)]
    })
    expect(pids[0]).toEqual(pids[1])
    const aborted = pool.query(sql`select pg_sleep(30)`, { signal: AbortSignal.timeout(100) })
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' })
    const sleeping = sql`select from pg_stat_activity where query like 'select pg_sleep(30)%' and state = 'active'`
    await expect.poll(() => pool.query(sleeping), { timeout: 10_000 }).toEqual([])
  })
})
