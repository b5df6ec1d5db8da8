import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceEvent } from './events.ts'
import { createLog, describeCause } from './log.ts'
import { redact } from './redact.ts'

function logged(event: ServiceEvent, level: 'info' | 'debug' = 'info'): Record<string, unknown>[] {
  const lines: string[] = []
  createLog({ level, to: { write: (line) => lines.push(line) } }).handleEvent(event)
  return lines.map((line) => JSON.parse(line))
}

const KEY = 'sdx_0123456789abcdefghijABCDEFGHIJ0123456789abcdefghi'

describe('the log', () => {
  test('when a request completes, its log line has the time, the status, and the IDs of the request and the key', () => {
    const [line] = logged({
      event: 'request.completed',
      requestId: 'r1',
      endpoint: '/api/v1/orders/{id}',
      method: 'GET',
      status: 200,
      durationMs: 12.5,
      rows: 1,
      bytes: 800,
      keyId: '5f1b2c3d-0000-4000-8000-000000000001',
      storeId: null,
    })
    expect(line).toMatchObject({
      level: 'info',
      event: 'request.completed',
      requestId: 'r1',
      status: 200,
      keyId: '5f1b2c3d-0000-4000-8000-000000000001',
    })
    expect(line?.time).toMatch(/^\d{4}-.*Z$/)
  })

  test('if a request fails with an internal error, its log line has the level error', () => {
    expect(logged({ event: 'request.failed', requestId: null, cause: new Error('x') })[0]).toMatchObject({
      level: 'error',
    })
  })

  test('if leak reports without a valid signature flood the node, the log gets one line a minute for each reason', () => {
    const lines: string[] = []
    let now = 0
    const { handleEvent } = createLog({ level: 'info', to: { write: (line) => lines.push(line) }, now: () => now })
    for (now = 0; now < 120_000; now += 100)
      for (const reason of ['unknown_key', 'wrong_signature'] as const)
        handleEvent({ event: 'leak_report.rejected', requestId: 'r', reason })
    expect(lines).toHaveLength(4)
  })

  test('the event pool.sampled is logged at the level debug, but not at the level info', () => {
    const state: ServiceEvent = { event: 'pool.sampled', pool: 'stores', pools: 1, connections: 1, busy: 0, waiting: 0 }
    expect(logged(state)).toEqual([])
    expect(logged(state, 'debug')).toHaveLength(1)
  })

  test.each([
    [`no such key ${KEY}`, 'no such key [key]'],
    [`no such key ${KEY.replace('sdx_', 'acme_live_')}`, 'no such key [key]'],
    [`id_${KEY}`, '[key]'],
    ['short sdx_x', 'short [key]'],
    ['cannot reach postgres://u:p@ss@h/d', 'cannot reach postgres://[user]@h/d'],
    ['GET /api/v1/orders?cursor=abc&limit=2 failed', 'GET /api/v1/orders?[query] failed'],
    ['buyer ann.muster@example.com', 'buyer [email]'],
    ['write to ann@mail.example.com. Or wait', 'write to [email] Or wait'],
    ['node postgres@127.0.0.1:5432 failed', 'node postgres@127.0.0.1:5432 failed'],
    ['password=hunter2', 'password=[secret]'],
    [`value ${'Ab1_'.repeat(15)} is odd`, 'value [token] is odd'],
    ['store 5f1b2c3d-0000-4000-8000-000000000001', 'store 5f1b2c3d-0000-4000-8000-000000000001'],
  ])('if a log message is %j, redact returns %j', (text, clean) => {
    expect(redact(text)).toBe(clean)
  })

  test("for random short strings, redact's shortcut returns the same result as its full rules", () => {
    const piece = fc.constantFrom(
      'sdx_',
      'sdx',
      'a_',
      'Aa0'.repeat(11),
      'a',
      'Z9',
      '-',
      '_',
      '.',
      '/',
      ' ',
      '{id}',
      ':',
      '=',
      '@',
      '?',
      'token',
      'postgres://',
    )
    const texts = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
    // A text of 40 or more characters takes no shortcut, and a space ends every match.
    const pad = ' '.repeat(40)
    fc.assert(
      fc.property(texts, (text) => redact(text) + pad === redact(text + pad)),
      { numRuns: 2000 },
    )
  })

  test('if the cause of an error has its own cause, the log redacts the secrets in both causes', () => {
    const cause = new Error(`refused ${KEY}`, { cause: new Error('at postgres://u:hunter2@h/d') })
    const text = JSON.stringify(
      logged({ event: 'store.query_failed', storeId: 's', requestId: 'r', cause, reason: 'query', retried: false }),
    )
    expect(text).not.toContain(KEY.slice(4))
    expect(text).not.toContain('hunter2')
    expect(text).toContain('refused [key]')
  })

  test('if a PostgreSQL error quotes values of rows, the logged cause has neither the message nor the detail of the error', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "Ann Muster"'), {
      code: '22P02',
      routine: 'string_to_uuid',
      severity: 'ERROR',
      detail: 'Ann Muster',
    })
    expect(describeCause(error)).toEqual({ name: 'Error', code: '22P02', routine: 'string_to_uuid', severity: 'ERROR' })
  })
})

describe('repeated rejections', () => {
  const LIMITED: ServiceEvent = {
    event: 'request.completed',
    requestId: 'r',
    endpoint: '/api/v1/orders',
    method: 'GET',
    status: 429,
    code: 'RATE_LIMITED',
    durationMs: 1,
    rows: 0,
    bytes: 90,
    keyId: 'k',
    storeId: 's',
  }
  const open = (level: 'info' | 'debug' | 'warn') => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const lines: string[] = []
    const log = createLog({ level, to: { write: (line) => lines.push(line) } })
    return { log: log.handleEvent, events: () => lines.map((line) => JSON.parse(line)) }
  }

  test('if the same rejection repeats, the log gets one line, then a count every ten seconds and at shutdown', () => {
    const { log, events } = open('info')
    for (let second = 0; second < 20; second++) {
      for (let request = 0; request < 100; request++) log(LIMITED)
      vi.advanceTimersByTime(1000)
    }
    log(LIMITED)
    log({ event: 'shutdown.started', reason: 'SIGTERM' })
    expect(events().map(({ event, count }) => [event, count])).toEqual([
      ['request.completed', undefined],
      ['rejections.summarized', 999],
      ['rejections.summarized', 1000],
      ['rejections.summarized', 1],
      ['shutdown.started', undefined],
    ])
  })

  test('if the log level is debug, every rejection is logged', () => {
    const debug = open('debug')
    for (let request = 0; request < 5; request++) debug.log(LIMITED)
    expect(debug.events()).toHaveLength(5)
  })

  test('if the log level is warn, neither rejections nor their counts are logged', () => {
    const warn = open('warn')
    for (let request = 0; request < 5; request++) warn.log(LIMITED)
    vi.advanceTimersByTime(30_000)
    expect(warn.events()).toEqual([])
  })
})

describe('contract violations', () => {
  const VIOLATION: ServiceEvent = {
    event: 'store.contract_violated',
    storeId: 's1',
    resource: 'order',
    field: 'total',
    kind: 'not finite',
    count: 3,
  }
  const HOUR_MS = 3_600_000

  test('if a contract violation repeats, the log gets one line per store, field, kind, and hour', () => {
    const lines: string[] = []
    const clock = { now: 5 * HOUR_MS }
    const log = createLog({
      level: 'info',
      to: { write: (line) => lines.push(line) },
      now: () => clock.now,
    }).handleEvent
    for (let page = 0; page < 50; page++) log(VIOLATION)
    expect(lines).toHaveLength(1)
    log({ ...VIOLATION, storeId: 's2' })
    log({ ...VIOLATION, field: 'tax' })
    log({ ...VIOLATION, kind: 'null' })
    clock.now += HOUR_MS - 1
    log(VIOLATION)
    expect(lines).toHaveLength(4)
    clock.now += 1
    log(VIOLATION)
    expect(lines).toHaveLength(5)
  })

  test('if more than 10,000 different contract violations occur in an hour, only 10,000 are logged', () => {
    let lines = 0
    const log = createLog({ level: 'info', to: { write: () => lines++ }, now: () => 0 }).handleEvent
    for (let store = 0; store < 10_100; store++) log({ ...VIOLATION, storeId: `s${store}` })
    expect(lines).toBe(10_000)
  })
})
