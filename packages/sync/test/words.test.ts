import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CommandLineError } from '../src/cli/command-line-error.ts'
import { timeText } from '../src/cli/format.ts'
import { parseTables, rejectPlainHttp } from '../src/cli/parse-options.ts'
import { parseDuration, parseTimestamp, TIMER_MS_MAX } from '../src/cli/parse-time.ts'
import { ProgressReporter, pageText } from '../src/cli/progress-reporter.ts'
import { RequestMeter } from '../src/cli/request-meter.ts'
import { comparableText } from '../src/copies/comparable-text.ts'
import { parseDeepJson, writeDeepJson } from '../src/deep-json.ts'
import { exactJsonText, parseExactJson } from '../src/exact-json.ts'

describe('times', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['24d', TIMER_MS_MAX],
    ['25d', null],
    ['0s', 0],
    ['-1m', null],
    ['1.5h', null],
    ['15', null],
    ['', null],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text, TIMER_MS_MAX)).toBe(ms)
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
    expect(parseTimestamp(text, NOW)?.toISOString() ?? null).toBe(instant)
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
    expect(parseTables('orders, order_items,categories').map(({ name }) => name)).toEqual(['categories', 'orders'])
  })

  test('an unknown one is named, with those there are', () => {
    expect(() => parseTables('orders,order')).toThrow(CommandLineError)
    expect(() => parseTables('orders,order')).toThrow(
      /must be table names separated by commas \(store, .*product_variants.*\); got "order"$/,
    )
  })
})

describe('the share of the limit and the time left', () => {
  const limit = { requests: 120, windowSeconds: 60, remaining: 30, resetSeconds: 20 }

  test('are what the service says, and all of it when the minute has gone by', () => {
    let now = 0
    const meter = new RequestMeter(() => now)
    expect(meter.usedShare).toBeNull()
    meter.record({ status: 200, limit })
    expect(meter.usedShare).toBe(0.75)
    now = 20_000
    expect(meter.usedShare).toBe(0)
  })

  test.each([
    [30, 3000],
    [31, 20_100],
    [150, 20_000 + 60_000],
    [270, 20_000 + 120_000],
    [280, 20_000 + 120_000 + 1000],
  ])('%i requests of 100 ms take %i ms, waits included', (requests, ms) => {
    const meter = new RequestMeter(() => 0)
    meter.record({ status: 200, limit })
    expect(meter.estimateMs(requests, 100)).toBe(ms)
  })

  test('are in the line while a table is walked', () => {
    const meter = new RequestMeter(() => 0)
    meter.record({ status: 200, limit })
    expect(pageText({ table: 'orders', rows: 12_250, of: 48_000 }, 10_000, meter)).toBe(
      '  orders                 12,250 of 48,000 rows      1,225/s  limit 75 %  44 s left',
    )
    expect(pageText({ table: 'orders', rows: 500, of: null }, 1000, new RequestMeter(() => 0))).toBe(
      '  orders                    500 rows        500/s',
    )
    // of a walk that goes on what is there already says nothing of the rate
    expect(pageText({ table: 'orders', rows: 12_250, rowsBefore: 2250, of: 48_000 }, 10_000, meter)).toBe(
      '  orders                 12,250 of 48,000 rows      1,000/s  limit 75 %  49 s left',
    )
    expect(pageText({ table: 'store', rows: 1, of: null }, 1000, new RequestMeter(() => 0)).trimEnd()).toBe(
      '  store                       1 rows',
    )
  })
})

describe('without a terminal', () => {
  /** A reporter that writes into a log, at a clock that the test moves on. */
  function aLog() {
    vi.useFakeTimers({ now: Date.parse('2026-11-23T08:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const lines: string[] = []
    const output = {
      writeMessage: (text: string) => void lines.push(text),
      writeResult: () => undefined,
      columns: null,
    }
    return { lines, reporter: new ProgressReporter({ output, meter: new RequestMeter(Date.now), now: Date.now }) }
  }

  test('a table, a wait and 30 seconds of silence are each one line with its time, and nothing is overwritten', () => {
    const { lines, reporter } = aLog()
    reporter.start()
    vi.advanceTimersByTime(31_000)
    reporter.page({ table: 'orders', rows: 250, of: 1000 })
    reporter.pause({ reason: 'limit', ms: 45_000 })
    vi.advanceTimersByTime(45_000)
    reporter.page({ table: 'orders', rows: 500, of: 1000 })
    reporter.table({ table: 'orders', rows: 1000, rowsBefore: 0, mode: 'full', removed: 0, ids: null })
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '2026-11-23T08:00:30Z waiting for the service\n',
      expect.stringMatching(/^2026-11-23T08:00:31Z orders 250 of 1,000 rows .*rate limit: waiting 45 s\n$/),
      expect.stringMatching(/^2026-11-23T08:01:01Z orders 250 of 1,000 rows .*rate limit: waiting 1[56] s\n$/),
      expect.stringMatching(/^2026-11-23T08:01:16Z orders 1,000 rows .*all\n$/),
    ])
    expect(lines.join('')).not.toContain('\r')
  })

  test('nothing is written when the work has ended', () => {
    const { lines, reporter } = aLog()
    reporter.start()
    reporter.stop()
    reporter.print('  shop.db is up to date')
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
    expect(() => rejectPlainHttp(url)).not.toThrow()
  })

  test.each([
    'http://export.example.com',
    'http://10.0.0.7:8080',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[2001:db8::1]',
    'http://127.0.0.1@export.example.com',
  ])('%s is refused, and the option is named', (url) => {
    expect(() => rejectPlainHttp(url)).toThrow(/^--url: http:\/\/ would send the key to .* --insecure-http/)
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
    const one = comparableText('json', nested('"a":1,"b":12345678901234567890'))
    expect(one === comparableText('json', nested('"b":12345678901234567890,"a":1'))).toBe(true)
    expect(one === comparableText('json', nested('"b":12345678901234567891,"a":1'))).toBe(false)
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
    expect(comparableText('json', one)).toBe(comparableText('json', other))
    const third = parseExactJson('{"a":[2,1],"b":{"x":12345678901234567890,"y":1}}')
    expect(comparableText('json', one)).not.toBe(comparableText('json', third))
    const fourth = parseExactJson('{"a":[1,2],"b":{"x":12345678901234567891,"y":1}}')
    expect(comparableText('json', one)).not.toBe(comparableText('json', fourth))
  })

  test('none is not the empty text, and a decimal is its digits', () => {
    expect(comparableText('text', null)).toBeNull()
    expect(comparableText('text', '')).toBe('')
    expect(comparableText('decimal', '1.10')).not.toBe(comparableText('decimal', '1.1'))
  })
})
