import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Meter } from '../src/cli/meter.ts'
import { timeText } from '../src/cli/output.ts'
import { PersonTeller, pageText } from '../src/cli/progress.ts'
import { LONGEST_TIMER_MS, parseDuration, parseInstant } from '../src/cli/times.ts'
import { refusePlainHttp, tablesOf, UsageProblem } from '../src/cli/usage.ts'
import { comparable } from '../src/copies/comparable.ts'
import { parseDeepJson, writeDeepJson } from '../src/deep-json.ts'
import { exactJsonText, parseExactJson } from '../src/exact-json.ts'

describe('times', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['24d', LONGEST_TIMER_MS],
    ['25d', null],
    ['0s', 0],
    ['-1m', null],
    ['1.5h', null],
    ['15', null],
    ['', null],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text, LONGEST_TIMER_MS)).toBe(ms)
  })

  const NOW = Date.parse('2026-03-31T12:00:00Z')

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00+02:00', '2026-01-31T06:00:00.000Z'],
    ['30d', '2026-03-01T12:00:00.000Z'],
    ['2026-02-30', null],
    ['2026-01-31T08:00:00', null],
    ['31.01.2026', null],
    ['yesterday', null],
    ['2026-13-01', null],
    ['0000-01-01', null],
    ['2026-04-01', null],
  ])('%j is the instant %j', (text, instant) => {
    expect(parseInstant(text, NOW)?.toISOString() ?? null).toBe(instant)
  })

  test.each([
    [400, '1 s'],
    [89_000, '89 s'],
    [240_000, '4 min'],
    [7_500_000, '2 h 05 min'],
  ])('%i ms are written as %j', (ms, text) => {
    expect(timeText(ms)).toBe(text)
  })
})

describe('names of tables', () => {
  test('a table within another brings that one, once and in the order of a run', () => {
    expect(tablesOf('orders, order_items,categories').map(({ name }) => name)).toEqual(['categories', 'orders'])
  })

  test('an unknown one is named, with those there are', () => {
    expect(() => tablesOf('orders,order')).toThrow(UsageProblem)
    expect(() => tablesOf('orders,order')).toThrow(/must be names of store, .*product_variants.*; got "order"$/)
  })
})

describe('the share of the limit and the time left', () => {
  const limit = { requests: 120, windowSeconds: 60, remaining: 30, resetSeconds: 20 }

  test('are what the service says, and all of it when the minute has gone by', () => {
    let now = 0
    const meter = new Meter(() => now)
    expect(meter.share).toBeNull()
    meter.hear({ status: 200, limit })
    expect(meter.share).toBe(0.75)
    now = 20_000
    expect(meter.share).toBe(0)
  })

  test.each([
    [30, 3000],
    [31, 20_100],
    [150, 20_000 + 60_000],
    [270, 20_000 + 120_000],
    [280, 20_000 + 120_000 + 1000],
  ])('%i requests of 100 ms take %i ms, waits included', (requests, ms) => {
    const meter = new Meter(() => 0)
    meter.hear({ status: 200, limit })
    expect(meter.timeFor(requests, 100)).toBe(ms)
  })

  test('are in the line while a table is walked', () => {
    const meter = new Meter(() => 0)
    meter.hear({ status: 200, limit })
    expect(pageText({ table: 'orders', rows: 12_250, of: 48_000 }, 10_000, meter)).toBe(
      '  orders                 12,250 of 48,000 rows      1,225/s  limit 75 %  44 s left',
    )
    expect(pageText({ table: 'orders', rows: 500, of: null }, 1000, new Meter(() => 0))).toBe(
      '  orders                    500 rows        500/s',
    )
    // of a walk that goes on what is there already says nothing of the rate
    expect(pageText({ table: 'orders', rows: 12_250, rowsBefore: 2250, of: 48_000 }, 10_000, meter)).toBe(
      '  orders                 12,250 of 48,000 rows      1,000/s  limit 75 %  49 s left',
    )
    expect(pageText({ table: 'store', rows: 1, of: null }, 1000, new Meter(() => 0)).trimEnd()).toBe(
      '  store                       1 rows',
    )
  })
})

describe('without a terminal', () => {
  /** A teller that writes into a log, at a clock that the test moves on. */
  function aLog() {
    vi.useFakeTimers({ now: Date.parse('2026-11-23T08:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const lines: string[] = []
    const output = { say: (text: string) => void lines.push(text), print: () => undefined, columns: null }
    return { lines, teller: new PersonTeller({ output, meter: new Meter(Date.now), now: Date.now }) }
  }

  test('a table, a wait and 30 seconds of silence are each one line with its time, and nothing is overwritten', () => {
    const { lines, teller } = aLog()
    teller.begin()
    vi.advanceTimersByTime(31_000)
    teller.page({ table: 'orders', rows: 250, of: 1000 })
    teller.pause({ reason: 'limit', ms: 45_000 })
    vi.advanceTimersByTime(45_000)
    teller.page({ table: 'orders', rows: 500, of: 1000 })
    teller.table({ table: 'orders', rows: 1000, rowsBefore: 0, mode: 'whole', removed: 0, ids: null })
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '2026-11-23T08:00:30Z waits for the service\n',
      expect.stringMatching(/^2026-11-23T08:00:31Z orders 250 of 1,000 rows .*waits 45 s for the limit\n$/),
      expect.stringMatching(/^2026-11-23T08:01:01Z orders 250 of 1,000 rows .*waits 1[56] s for the limit\n$/),
      expect.stringMatching(/^2026-11-23T08:01:16Z orders 1,000 rows .*all\n$/),
    ])
    expect(lines.join('')).not.toContain('\r')
  })

  test('nothing is written when the work has ended', () => {
    const { lines, teller } = aLog()
    teller.begin()
    teller.end()
    teller.say('  shop.db is up to date')
    vi.advanceTimersByTime(3_600_000)
    expect(lines).toEqual(['2026-11-23T08:00:00Z   shop.db is up to date\n'])
  })
})

describe('an address without TLS', () => {
  test.each([
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://localhost:1',
    'http://shop.localhost',
    'http://[::1]:8080',
    'http://[::ffff:127.0.0.1]',
    'https://export.example.com',
  ])('%s is accepted', (url) => {
    expect(() => refusePlainHttp(url)).not.toThrow()
  })

  test.each([
    'http://export.example.com',
    'http://10.0.0.7:8080',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[2001:db8::1]',
    'http://127.0.0.1@export.example.com',
  ])('%s is refused, and the option is named', (url) => {
    expect(() => refusePlainHttp(url)).toThrow(/^--url: http:\/\/ would send the key to .* --insecure-http/)
  })
})

describe('JSON that keeps every digit', () => {
  test.each([
    '12345678901234567890',
    '0.12345678901234567890',
    '1e400',
    '-1.2345678901234567e-300',
    '{"a":[1,2.5,-0.10000000000000000001],"text":"12345678901234567890"}',
  ])('%s', (text) => {
    expect(JSON.stringify(parseExactJson(`[${text}]`))).toBe(`[${text}]`)
  })

  test('numbers that a double holds are numbers', () => {
    expect(parseExactJson('{"a":[12345678901234567890,1.50,1e3,7]}')).toMatchObject({
      a: [expect.anything(), 1.5, 1000, 7],
    })
  })
})

describe('JSON of any depth', () => {
  const LEVELS = 50_000

  test('is written as it was read', () => {
    for (const inner of ['1', '12345678901234567890', '{"__proto__":[1.50,true,null,"\\"\\u00fc"],"b":{},"c":[]}']) {
      const text = `${'[{"a b":1,"n":'.repeat(LEVELS)}${inner}${'}]'.repeat(LEVELS)}`
      const exact = exactJsonText(parseExactJson(text))
      expect(exact === text.replace('1.50', '1.5').replace('\\u00fc', 'ü')).toBe(true)
    }
  })

  test('compares by its values in any order of members', () => {
    const nested = (members: string) => parseExactJson(`${'['.repeat(LEVELS)}{${members}}${']'.repeat(LEVELS)}`)
    const one = comparable('json', nested('"a":1,"b":12345678901234567890'))
    expect(one === comparable('json', nested('"b":12345678901234567890,"a":1'))).toBe(true)
    expect(one === comparable('json', nested('"b":12345678901234567891,"a":1'))).toBe(false)
  })

  test('of random values is written and read as the language does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = JSON.parse(text)
        const written = writeDeepJson(value, () => false)
        expect(written).toBe(JSON.stringify(value))
        expect(parseDeepJson(` ${written} `, JSON.parse)).toEqual(value)
        expect(parseDeepJson(JSON.stringify(value, null, 2), JSON.parse)).toEqual(value)
      }),
    )
  })
})

describe('the same values', () => {
  test('of JSON are the same in any order of members, at any depth, and no others', () => {
    const one = parseExactJson('{"b":{"y":1,"x":12345678901234567890},"a":[1,2]}')
    const other = parseExactJson('{"a":[1,2],"b":{"x":12345678901234567890,"y":1}}')
    expect(comparable('json', one)).toBe(comparable('json', other))
    const third = parseExactJson('{"a":[2,1],"b":{"x":12345678901234567890,"y":1}}')
    expect(comparable('json', one)).not.toBe(comparable('json', third))
    const fourth = parseExactJson('{"a":[1,2],"b":{"x":12345678901234567891,"y":1}}')
    expect(comparable('json', one)).not.toBe(comparable('json', fourth))
  })

  test('none is not the empty text, and a decimal is its digits', () => {
    expect(comparable('text', null)).toBeNull()
    expect(comparable('text', '')).toBe('')
    expect(comparable('decimal', '1.10')).not.toBe(comparable('decimal', '1.1'))
  })
})
