// Tests servers that break the protocol in every state of a connection. Each violation must end in one error of a
// documented class, before the deadline, and must leave the pool usable.

import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { MalformedRow } from '../src/cell.ts'
import type { Connection } from '../src/connection.ts'
import { PostgresConnectionError, PostgresError } from '../src/errors.ts'
import type { Pool } from '../src/pool.ts'
import { queryRows } from '../src/query.ts'
import { sql } from '../src/statement.ts'
import { TimeLimitPassed } from '../src/within.ts'
import { type Act, startHostile } from './support/hostile-server.ts'
import { open, openPool, within } from './support/open.ts'
import {
  authentication,
  columns,
  completed,
  dataRow,
  FATAL,
  failure,
  int32,
  message,
  ready,
  WELCOME,
} from './support/server-messages.ts'

const LIMIT_MS = 250
/** Additional time in ms, because a loaded machine may be late. */
const TOLERANCE_MS = 1500
const MEBIBYTE = 1024 * 1024
const STATEMENT = sql`select ${'x'}::text as value`
const [PARSED, BOUND, DESCRIBED] = [message('1'), message('2'), columns(['value'])]
const BEFORE_ROWS = Buffer.concat([PARSED, BOUND, DESCRIBED])
const WHOLE = Buffer.concat([BEFORE_ROWS, dataRow(['x']), completed(), ready()])
const LATE = expect.any(TimeLimitPassed)
const BROKEN = expect.objectContaining({ name: 'PostgresConnectionError', code: 'EPROTO' })
const CLOSED = expect.objectContaining({ name: 'PostgresConnectionError', code: 'ECONNRESET' })
const MALFORMED = expect.any(MalformedRow)
const TYPED = [PostgresConnectionError, PostgresError, TimeLimitPassed, MalformedRow]

type Violation = readonly [name: string, act: Act, error: unknown]
type Work = (pool: Pool) => Promise<unknown>

const query: Work = (pool) => pool.query(STATEMENT, within(LIMIT_MS))

/** Runs `work` against the hostile server, and then a statement on the same pool against a real server. */
async function expectTypedError(act: Act, error: unknown = expect.anything(), work: Work = query): Promise<void> {
  const server = await startHostile(inject('postgresUrl'), act)
  const pool = openPool(server.url, { connectionsMax: 1, connectTimeoutMs: LIMIT_MS })
  const since = performance.now()
  const found: unknown = await work(pool).then(
    (result) => `no error, but ${JSON.stringify(result)}`,
    (reason) => reason,
  )
  expect(performance.now() - since).toBeLessThan(LIMIT_MS + TOLERANCE_MS)
  expect(TYPED.some((type) => found instanceof type)).toBe(true)
  expect(found).toEqual(error)
  server.becomeHonest()
  await until(() => pool.sums.open === 0)
  expect(await pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  expect(pool.sums).toEqual({ open: 1, busy: 0, waiting: 0 })
}

/** Resolves when the condition holds. The test's own limit ends the wait. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1)
}

/** Violations in every state of a connection. */
const ALWAYS: readonly Violation[] = [
  ['is silent', () => undefined, expect.anything()],
  ['closes the connection without a message', ({ socket }) => void socket.end(), CLOSED],
  ['resets the connection', ({ socket }) => void socket.resetAndDestroy(), CLOSED],
  ['sends an HTTP response', (peer) => peer.say(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')), BROKEN],
  ['sends endless zeros', (peer) => peer.flood(Buffer.alloc(65_536)), BROKEN],
  ['announces a row of 4 GB', (peer) => peer.say(message('D', '', 2 ** 32 - 1)), BROKEN],
  ['announces a message of length 0', (peer) => peer.say(message('Z', 'I', 0)), BROKEN],
  ['sends a message of an unknown type', (peer) => peer.say(message('?')), BROKEN],
  ['requests a function call', (peer) => peer.say(message('V')), BROKEN],
  ['starts a replication', (peer) => peer.say(message('W', '\0\0\0')), BROKEN],
  ['reports an unknown transaction state', (peer) => peer.say(ready('X')), BROKEN],
  ['reports a transaction state of two bytes', (peer) => peer.say(ready('II')), BROKEN],
  ['reports an empty transaction state', (peer) => peer.say(ready('')), BROKEN],
  ['sends endless notices', (peer) => peer.flood(repeat(message('N', '\0'))), BROKEN],
  ['sends endless parameters', (peer) => peer.flood(repeat(message('S', 'a\0b\0'))), BROKEN],
  ['sends endless notifications', (peer) => peer.flood(repeat(message('A', Buffer.alloc(6)))), BROKEN],
  ['sends a parameter of 64 MB', (peer) => peer.say(message('S', '', 64 * MEBIBYTE)), BROKEN],
  [
    'sends a fatal error and closes the connection',
    fatal,
    expect.objectContaining({ name: 'PostgresError', code: '57P01' }),
  ],
  ['sends a fatal error and leaves the connection open', (peer) => peer.say(failure(FATAL)), expect.any(PostgresError)],
]

function repeat(bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: 1000 }, () => bytes))
}

function fatal(peer: Parameters<Act>[0]): void {
  peer.say(failure(FATAL))
  peer.socket.end()
}

describe('[ERR-3] hostile servers at the start of a connection', () => {
  const violations: readonly Violation[] = [
    ['sends an error without fields', (peer) => peer.say(message('E', '\0')), expect.any(PostgresError)],
    ['sends an error with an empty body', (peer) => peer.say(message('E')), expect.any(PostgresError)],
    ['sends ReadyForQuery before it accepted the client', (peer) => peer.say(ready()), BROKEN],
    ['sends a cancel key before it accepted the client', (peer) => peer.say(message('K', Buffer.alloc(8))), BROKEN],
    ['accepts the client twice', (peer) => peer.say(authentication(0), authentication(0)), BROKEN],
    ['accepts the client and is silent', (peer) => peer.say(authentication(0)), expect.anything()],
    ['accepts the client and closes the connection', (peer) => void peer.socket.end(authentication(0)), CLOSED],
    ['sends rows before ReadyForQuery', (peer) => peer.say(authentication(0), dataRow(['x'])), BROKEN],
    ['sends a cancel key of 3 bytes', (peer) => peer.say(authentication(0), message('K', '123')), BROKEN],
    ['sends an authentication request that is too short', (peer) => peer.say(message('R', '12')), BROKEN],
    ['requests Kerberos', (peer) => peer.say(authentication(7)), expect.objectContaining({ code: 'EAUTH' })],
    [
      'sends endless protocol negotiations',
      (peer) => peer.flood(repeat(message('v', Buffer.alloc(8)))),
      expect.anything(),
    ],
    ['sends its startup messages byte by byte', (peer) => peer.drip(WELCOME), expect.anything()],
    ['sends a second ReadyForQuery with the first one', (peer) => peer.say(WELCOME, ready()), BROKEN],
  ]
  test.each<Violation>([...ALWAYS, ...violations])(
    'if the server %s while the client connects, the client throws an error of a documented class within the time limit',
    async (_, say, error) => {
      await expectTypedError(async (peer) => {
        await peer.next()
        await say(peer)
      }, error)
    },
  )

  test('if the server closes the connection after any byte of its startup messages, the client throws an ECONNRESET error', async () => {
    for (let cut = 0; cut < WELCOME.length; cut++)
      await expectTypedError(async (peer) => {
        await peer.next()
        peer.socket.end(WELCOME.subarray(0, cut))
      }, CLOSED)
  })
})

describe('[ERR-3] hostile servers of idle connections', () => {
  const violations: readonly Violation[] = [
    ['sends a row', (peer) => peer.say(dataRow(['x'])), null],
    ['sends ReadyForQuery again', (peer) => peer.say(ready()), null],
    ['sends a whole result', (peer) => peer.say(WHOLE), null],
    ['sends an error', (peer) => peer.say(failure({ S: 'ERROR', C: 'XX000', M: 'no reason' })), null],
  ]
  test.each<Violation>([...ALWAYS.filter(([name]) => name !== 'is silent'), ...violations])(
    'if the server %s while a connection is idle, the pool replaces the connection',
    async (_, say) => {
      const spoken = Promise.withResolvers<void>()
      const server = await startHostile(inject('postgresUrl'), async (peer) => {
        await peer.welcome()
        await peer.until('S')
        peer.say(WHOLE)
        await spoken.promise
        await say(peer)
      })
      const pool = openPool(server.url, { connectionsMax: 1, connectTimeoutMs: LIMIT_MS })
      expect(await query(pool)).toEqual([{ value: 'x' }])
      expect(pool.sums).toEqual({ open: 1, busy: 0, waiting: 0 })
      spoken.resolve()
      await until(() => pool.sums.open === 0)
      server.becomeHonest()
      await until(() => pool.sums.open === 0)
      expect(await pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    },
  )
})

describe('[ERR-3] hostile servers of busy connections', () => {
  const error = failure({ S: 'ERROR', V: 'ERROR', C: '22012', M: 'division by zero' })
  const violations: readonly Violation[] = [
    ['sends an error without fields', (peer) => peer.say(message('E', '\0'), ready()), expect.any(PostgresError)],
    ['sends endless errors', (peer) => peer.flood(error), LATE],
    ['sends an error and continues the result', (peer) => peer.say(error, BEFORE_ROWS), BROKEN],
    ['sends rows after an error', (peer) => peer.say(BEFORE_ROWS, error, dataRow(['x'])), BROKEN],
    ['sends a row before ParseComplete', (peer) => peer.say(dataRow(['x'])), BROKEN],
    ['describes the columns twice', (peer) => peer.say(BEFORE_ROWS, DESCRIBED), BROKEN],
    ['sends BindComplete before ParseComplete', (peer) => peer.say(BOUND), BROKEN],
    ['sends CommandComplete before ParseComplete', (peer) => peer.say(completed()), BROKEN],
    ['sends CommandComplete twice', (peer) => peer.say(BEFORE_ROWS, completed(), completed(), ready()), BROKEN],
    ['sends ReadyForQuery before ParseComplete', (peer) => peer.say(ready()), BROKEN],
    ['sends ReadyForQuery before CommandComplete', (peer) => peer.say(BEFORE_ROWS, ready()), BROKEN],
    ['suspends the portal', (peer) => peer.say(BEFORE_ROWS, message('s')), BROKEN],
    ['requests COPY data', (peer) => peer.say(PARSED, BOUND, message('G', '\0\0\0')), BROKEN],
    ['requests authentication again', (peer) => peer.say(authentication(3)), BROKEN],
    ['sends a row with fewer values', (peer) => peer.say(BEFORE_ROWS, dataRow([]), completed(), ready()), MALFORMED],
    [
      'sends a row with more values',
      (peer) => peer.say(BEFORE_ROWS, dataRow(['a', 'b']), completed(), ready()),
      MALFORMED,
    ],
    [
      'announces more values in a row than it sends',
      (peer) => peer.say(BEFORE_ROWS, dataRow([], 1), completed(), ready()),
      MALFORMED,
    ],
    [
      'sends a row with bytes after its values',
      (peer) => peer.say(BEFORE_ROWS, dataRow(['a', 'b'], 1), completed(), ready()),
      MALFORMED,
    ],
    [
      'sends a value that reaches into the next message',
      (peer) => peer.say(BEFORE_ROWS, longValue(12), completed(), ready()),
      MALFORMED,
    ],
    [
      'announces a value that is longer than its message',
      (peer) => peer.say(BEFORE_ROWS, longValue(2 ** 31 - 1), completed(), ready()),
      MALFORMED,
    ],
    [
      'sends a row without the number of its values',
      (peer) => peer.say(BEFORE_ROWS, message('D'), completed(), ready()),
      MALFORMED,
    ],
    ['describes columns without their number', (peer) => peer.say(PARSED, BOUND, message('T')), BROKEN],
    ['describes columns that are cut off', (peer) => peer.say(PARSED, BOUND, message('T', '\0\x01value\0')), BROKEN],
    ['describes fewer columns than it counts', (peer) => peer.say(PARSED, BOUND, message('T', '\0\x09')), BROKEN],
    [
      'sends an invalid number',
      (peer) => peer.say(PARSED, BOUND, columns(['n'], 20), dataRow(['x']), completed(), ready()),
      MALFORMED,
    ],
    [
      'sends invalid JSON',
      (peer) => peer.say(PARSED, BOUND, columns(['n'], 114), dataRow(['{']), completed(), ready()),
      MALFORMED,
    ],
    ['sends endless rows', (peer) => endless(peer, dataRow(['x'])), LATE],
    ['sends endless rows without columns', (peer) => endless(peer, dataRow([])), LATE],
    ['sends a row byte by byte', dripRow, LATE],
  ]
  test.each<Violation>([...ALWAYS.filter(([name]) => !name.startsWith('reports')), ...violations])(
    'if the server %s during a statement, the client throws an error of a documented class within the time limit',
    async (_, say, expected) => {
      await expectTypedError(async (peer) => {
        await peer.welcome()
        await peer.until('S')
        await say(peer)
      }, expected)
    },
  )

  test('if the server closes the connection in the middle of a result, the client throws an ECONNRESET error', async () => {
    for (let cut = 0; cut < WHOLE.length; cut += 2)
      await expectTypedError(async (peer) => {
        await peer.welcome()
        await peer.until('S')
        peer.socket.end(WHOLE.subarray(0, cut))
      }, CLOSED)
  })

  test.each(['T', 'E'])(
    'if the server reports the transaction state %s after a statement, the pool closes the connection',
    async (state) => {
      const server = await startHostile(inject('postgresUrl'), async (peer) => {
        await peer.welcome()
        await peer.until('S')
        peer.say(BEFORE_ROWS, dataRow(['x']), completed(), ready(state))
      })
      const pool = openPool(server.url, { connectionsMax: 1 })
      expect(await query(pool)).toEqual([{ value: 'x' }])
      server.becomeHonest()
      expect(await pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
      expect(server.connections()).toBe(2)
    },
  )
})

async function endless(peer: Parameters<Act>[0], row: Buffer): Promise<void> {
  peer.say(PARSED, BOUND, row.length < 10 ? columns([]) : DESCRIBED)
  await peer.flood(repeat(row))
}

async function dripRow(peer: Parameters<Act>[0]): Promise<void> {
  peer.say(BEFORE_ROWS)
  await peer.drip(dataRow(['x'.repeat(1000)]))
}

/** Returns a row whose one value announces another length than it has. */
function longValue(length: number): Buffer {
  return message('D', Buffer.concat([Buffer.from([0, 1]), int32(length), Buffer.from('abc')]))
}

describe('[ERR-3] hostile servers during COPY', () => {
  const COPY_OUT = message('H', '\0\0\0')
  const copyOut: Work = (pool) => pool.use((connection) => copy(connection, () => undefined)).then(() => 'done')
  const violations: readonly Violation[] = [
    [
      'sends ReadyForQuery before CopyDone',
      (peer) => peer.say(PARSED, BOUND, COPY_OUT, message('d', 'x'), ready()),
      BROKEN,
    ],
    [
      'closes the connection after the data',
      (peer) => void peer.socket.end(Buffer.concat([PARSED, BOUND, COPY_OUT, message('d', 'x')])),
      CLOSED,
    ],
    ['sends endless data', (peer) => endlessCopy(peer), LATE],
    ['is silent after the data', (peer) => peer.say(PARSED, BOUND, COPY_OUT, message('d', 'x')), LATE],
  ]
  test.each<Violation>(violations)(
    'if the server %s during COPY, the client throws an error of a documented class within the time limit',
    async (_, say, expected) => {
      await expectTypedError(
        async (peer) => {
          await peer.welcome()
          await peer.until('S')
          await say(peer)
        },
        expected,
        copyOut,
      )
    },
  )

  async function endlessCopy(peer: Parameters<Act>[0]): Promise<void> {
    peer.say(PARSED, BOUND, COPY_OUT)
    await peer.flood(message('d', Buffer.alloc(65_536)))
  }

  async function copy(connection: Connection, row: () => void): Promise<void> {
    const statement = sql`copy (select 1) to stdout`
    await connection.read([{ statement, sink: { format: 'text', row } }], within(LIMIT_MS))
  }
})

describe('[ERR-3] hostile servers at the end of a connection', () => {
  test.each<readonly [string, Act]>([
    ['is silent', () => undefined],
    ['continues to send messages', (peer) => peer.flood(repeat(message('N', '\0')))],
  ])(
    'if the server %s after the client ends the session, the client closes the connection within 2.5 s',
    async (_, say) => {
      const server = await startHostile(inject('postgresUrl'), async (peer) => {
        await peer.welcome()
        await peer.until('X')
        await say(peer)
      })
      const connection = await open(server.url)
      const since = performance.now()
      await connection.close()
      expect(performance.now() - since).toBeLessThan(1000 + TOLERANCE_MS)
      await expect(queryRows(connection, STATEMENT)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    },
  )
})

describe('[ERR-3] memory of the client', () => {
  test.each([
    ['an error of 60 MB without text', message('E', Buffer.alloc(60 * MEBIBYTE))],
    ['an error of 60 MB', message('E', `SERROR\0M${'x'.repeat(60 * MEBIBYTE)}\0\0`)],
    ['a notice of 60 MB', message('N', Buffer.alloc(60 * MEBIBYTE))],
  ])('if the server sends %s, the memory of the client grows by less than 150 MiB', async (_, bytes) => {
    const before = process.memoryUsage()
    await expectTypedError(
      async (peer) => {
        await peer.welcome()
        await peer.until('S')
        peer.say(bytes)
        await delay(LIMIT_MS)
      },
      expect.anything(),
      (pool) => pool.query(STATEMENT, within(1000)),
    )
    expect(process.memoryUsage().heapUsed - before.heapUsed).toBeLessThan(150 * MEBIBYTE)
  })

  test('if the server sends endless rows without columns, the memory of the client grows by less than 300 MiB', async () => {
    const before = process.memoryUsage().heapUsed
    let most = 0
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().heapUsed - before)
    }, 20)
    await expectTypedError(
      async (peer) => {
        await peer.welcome()
        await peer.until('S')
        await endless(peer, dataRow([]))
      },
      LATE,
      (pool) => pool.query(STATEMENT, within(3000)),
    ).catch(() => undefined)
    clearInterval(timer)
    expect(most).toBeLessThan(300 * MEBIBYTE)
  })
})
