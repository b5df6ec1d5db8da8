import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLog, describeCause } from './log.ts'
import type { Observation } from './observe.ts'
import { redact } from './redact.ts'

function logged(observation: Observation, level: 'info' | 'debug' = 'info'): Record<string, unknown>[] {
  const lines: string[] = []
  createLog({ level, to: { write: (line) => lines.push(line) } }).observe(observation)
  return lines.map((line) => JSON.parse(line))
}

const KEY = 'sdx_0123456789abcdefghijABCDEFGHIJ0123456789abcdefghi'

describe('the log', () => {
  test('an answered request is one line with its ids', () => {
    const [line] = logged({
      event: 'request answered',
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
      event: 'request answered',
      requestId: 'r1',
      status: 200,
      keyId: '5f1b2c3d-0000-4000-8000-000000000001',
    })
    expect(line?.time).toMatch(/^\d{4}-.*Z$/)
  })

  test('faults are errors or warnings, pool states are for debugging', () => {
    expect(logged({ event: 'own fault', requestId: null, cause: new Error('x') })[0]).toMatchObject({ level: 'error' })
    const state: Observation = { event: 'pool state', pool: 'stores', pools: 1, connections: 1, busy: 0, waiting: 0 }
    expect(logged(state)).toEqual([])
    expect(logged(state, 'debug')).toHaveLength(1)
  })

  test.each([
    [`no such key ${KEY}`, 'no such key [key]'],
    ['cannot reach postgres://u:p@ss@h/d', 'cannot reach postgres://[user]@h/d'],
    ['GET /api/v1/orders?cursor=abc&limit=2 failed', 'GET /api/v1/orders?[query] failed'],
    ['buyer ann.muster@example.com', 'buyer [email]'],
    ['password=hunter2', 'password=[secret]'],
    [`value ${'Ab1_'.repeat(15)} is odd`, 'value [token] is odd'],
    ['store 5f1b2c3d-0000-4000-8000-000000000001', 'store 5f1b2c3d-0000-4000-8000-000000000001'],
  ])('redacts %j', (text, clean) => {
    expect(redact(text)).toBe(clean)
  })

  test('what is taken for plain is what no rule would change', () => {
    const piece = fc.constantFrom(
      'sdx_',
      'sdx',
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
    // what is long is never taken for plain, and blanks end every match
    const pad = ' '.repeat(40)
    fc.assert(
      fc.property(texts, (text) => redact(text) + pad === redact(text + pad)),
      { numRuns: 2000 },
    )
  })

  test('causes are redacted at every depth, whatever carries them', () => {
    const cause = new Error(`refused ${KEY}`, { cause: new Error('at postgres://u:hunter2@h/d') })
    const text = JSON.stringify(logged({ event: 'store fault', storeId: 's', requestId: 'r', cause, retried: false }))
    expect(text).not.toContain(KEY.slice(4))
    expect(text).not.toContain('hunter2')
    expect(text).toContain('refused [key]')
  })

  test('messages of data exceptions, which quote values of rows, are left out', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "Ann Muster"'), {
      code: '22P02',
      routine: 'string_to_uuid',
      severity: 'ERROR',
      detail: 'Ann Muster',
    })
    expect(describeCause(error)).toEqual({ name: 'Error', code: '22P02', routine: 'string_to_uuid', severity: 'ERROR' })
  })
})

describe('repeated refusals', () => {
  const LIMITED: Observation = {
    event: 'request answered',
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
    return { log: log.observe, events: () => lines.map((line) => JSON.parse(line)) }
  }

  test('are the first and then a sum every ten seconds, and the last sum at the end', () => {
    const { log, events } = open('info')
    for (let second = 0; second < 20; second++) {
      for (let request = 0; request < 100; request++) log(LIMITED)
      vi.advanceTimersByTime(1000)
    }
    log(LIMITED)
    log({ event: 'stopping', reason: 'SIGTERM' })
    expect(events().map(({ event, count }) => [event, count])).toEqual([
      ['request answered', undefined],
      ['refusals.summed', 999],
      ['refusals.summed', 1000],
      ['refusals.summed', 1],
      ['stopping', undefined],
    ])
  })

  test('are each a line at debug, and none where their level is not logged', () => {
    const debug = open('debug')
    for (let request = 0; request < 5; request++) debug.log(LIMITED)
    expect(debug.events()).toHaveLength(5)
    const warn = open('warn')
    for (let request = 0; request < 5; request++) warn.log(LIMITED)
    vi.advanceTimersByTime(30_000)
    expect(warn.events()).toEqual([])
  })
})

test('the log reference names every event', () => {
  const root = path.join(import.meta.dirname, '..', '..', '..')
  const sources = globSync('packages/*/src/{*-event,observe}.ts', { cwd: root })
  const source = sources.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
  const events = [...source.matchAll(/readonly event: ([^\n;]+)/g)].flatMap(([, union = '']) =>
    [...union.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
  )
  const reference = readFileSync(path.join(root, 'docs', 'operate', 'monitoring.md'), 'utf8')
  // pool states are read by the metrics alone
  const missing = events.filter((name) => name !== 'pool state' && !reference.includes(`\`${name}\``))
  expect(events.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

describe('odd values', () => {
  const SURPRISE: Observation = {
    event: 'value surprise',
    storeId: 's1',
    resource: 'order',
    field: 'total',
    kind: 'not finite',
    count: 3,
  }
  const HOUR_MS = 3_600_000

  test('are one line for each store, field, kind and hour', () => {
    const lines: string[] = []
    const clock = { now: 5 * HOUR_MS }
    const log = createLog({ level: 'info', to: { write: (line) => lines.push(line) }, now: () => clock.now }).observe
    for (let page = 0; page < 50; page++) log(SURPRISE)
    expect(lines).toHaveLength(1)
    log({ ...SURPRISE, storeId: 's2' })
    log({ ...SURPRISE, field: 'tax' })
    log({ ...SURPRISE, kind: 'null' })
    clock.now += HOUR_MS - 1
    log(SURPRISE)
    expect(lines).toHaveLength(4)
    clock.now += 1
    log(SURPRISE)
    expect(lines).toHaveLength(5)
  })

  test('take a bounded memory', () => {
    let lines = 0
    const log = createLog({ level: 'info', to: { write: () => lines++ }, now: () => 0 }).observe
    for (let store = 0; store < 10_100; store++) log({ ...SURPRISE, storeId: `s${store}` })
    expect(lines).toBe(10_000)
  })
})
