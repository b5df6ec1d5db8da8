import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ProgressReporter, pageText, printProgressEvents, reportProgress } from './progress-reporter.ts'
import { RequestMeter } from './request-meter.ts'

describe('rate limit and time left', () => {
  const limit = { requests: 120, windowSeconds: 60, remaining: 30, resetSeconds: 20 }

  test('if 30 of 120 requests per minute remain, usedShare is 0.75; after the rate limit resets, usedShare is 0', () => {
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
  ])(
    'if a run still needs %i requests of 100 ms each, and 30 of 120 requests per minute remain, the estimated time is %i ms',
    (requests, ms) => {
      const meter = new RequestMeter(() => 0)
      meter.record({ status: 200, limit })
      expect(meter.estimateMs(requests, 100)).toBe(ms)
    },
  )

  test("if the rate limit and the row count are known, a run's status line shows the used share of the limit and the time left", () => {
    const meter = new RequestMeter(() => 0)
    meter.record({ status: 200, limit })
    expect(pageText({ table: 'orders', rows: 12_250, of: 48_000 }, 10_000, meter)).toBe(
      '  orders                 12,250 of 48,000 rows      1,225/s  limit 75%  44 s left',
    )
    expect(pageText({ table: 'orders', rows: 500, of: null }, 1000, new RequestMeter(() => 0))).toBe(
      '  orders                    500 rows        500/s',
    )
    // Rows of an interrupted run don't count for the rate.
    expect(pageText({ table: 'orders', rows: 12_250, rowsBefore: 2250, of: 48_000 }, 10_000, meter)).toBe(
      '  orders                 12,250 of 48,000 rows      1,000/s  limit 75%  49 s left',
    )
    expect(pageText({ table: 'store', rows: 1, of: null }, 1000, new RequestMeter(() => 0)).trimEnd()).toBe(
      '  store                       1 row',
    )
  })
})

describe('the progress reporter without a terminal', () => {
  /** Creates a reporter that writes to a log, with fake timers. */
  function createLogReporter() {
    vi.useFakeTimers({ now: Date.parse('2026-11-23T08:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const lines: string[] = []
    const output = {
      writeMessage: (text: string) => void lines.push(text),
      writeResult: () => undefined,
      writeData: async () => undefined,
      columns: null,
    }
    return { lines, reporter: new ProgressReporter({ output, meter: new RequestMeter(Date.now), now: Date.now }) }
  }

  test('without a terminal, the progress reporter prints a line for each table and rate-limit wait, and after every 30 seconds without output', () => {
    const { lines, reporter } = createLogReporter()
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

  test('if a run rereads a table because its fields changed, the reporter prints the reason, and --json prints a "reread" event', () => {
    const { lines, reporter } = createLogReporter()
    const results: string[] = []
    const output = {
      writeMessage: () => undefined,
      writeData: async () => undefined,
      writeResult: (line: string) => void results.push(line),
      columns: null,
    }
    for (const report of [reportProgress(reporter), printProgressEvents(output)])
      report({ event: 'reread', table: 'orders' })
    expect(lines.join('')).toContain('  the fields of orders have changed in the store; reading all rows again\n')
    expect(results).toEqual(['{"event":"reread","table":"orders"}'])
  })

  test('a stopped progress reporter prints only what is passed to print, and no status line for an hour', () => {
    const { lines, reporter } = createLogReporter()
    reporter.start()
    reporter.stop()
    reporter.print('  shop.db is up to date')
    vi.advanceTimersByTime(3_600_000)
    expect(lines).toEqual(['2026-11-23T08:00:00Z   shop.db is up to date\n'])
  })
})
