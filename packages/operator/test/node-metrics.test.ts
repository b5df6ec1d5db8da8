import { expect, test, vi } from 'vitest'
import { SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { metricsOfUsedNode } from './support/used-node-metrics.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

/** Returns violations of the rules of `promtool check metrics`. test/fleet runs promtool. */
function problemsOf(text: string): string[] {
  const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)]
  return types.flatMap(([, name = '', type = '']) => {
    const rules: readonly (readonly [boolean, string])[] = [
      [new RegExp(`^# HELP ${name} \\S`, 'm').test(text), 'has no help text'],
      [type === 'counter' || !name.endsWith('_total'), 'ends in _total and is no counter'],
      [type !== 'counter' || name.endsWith('_total'), 'is a counter and does not end in _total'],
      [/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name), 'has a capital letter, a colon or a double underscore'],
      [!/_(ms|msec|millis|milliseconds|minutes|hours|kb|mb|kilobytes|percent)(_|$)/.test(name), 'has no base unit'],
      [!/_(counter|gauge|histogram|summary)(_|$)/.test(name), 'names its type'],
      [type === 'histogram' || !/_(bucket|count|sum)$/.test(name), 'ends like a part of a histogram'],
    ]
    return rules.filter(([holds]) => !holds).map(([, problem]) => `${name} ${problem}`)
  })
}

test('after some requests, the metrics of a node follow the naming rules of Prometheus', async () => {
  const text = await metricsOfUsedNode()
  expect(problemsOf(text)).toEqual([])
  expect(text).toMatch(/^store_export_build_info\{version="[\d.]+",node="24[\d.]+"\} 1$/m)
  for (const pool of ['stores', 'store_server', 'store', 'control'])
    expect(text).toMatch(new RegExp(`^store_export_connections_limit\\{pool="${pool}"\\} \\d+$`, 'm'))
  expect(text).toMatch(/^process_cpu_seconds_total /m)
  expect(text).toMatch(/^store_export_errors_total\{endpoint="\/api\/v1\/orders",code="STORE_DB_ERROR"\} 1$/m)
  expect(text).toMatch(/^store_export_errors_total\{endpoint="\/api\/v1\/orders",code="RATE_LIMITED"\} 0$/m)
})

test('problemsOf returns each naming rule of Prometheus that a metric breaks, with the name of the metric', () => {
  expect(
    problemsOf(
      '# HELP a_total x\n# TYPE a_total gauge\n# TYPE wait_ms counter\n# HELP fooBar x\n# TYPE fooBar gauge\n',
    ),
  ).toEqual([
    'a_total ends in _total and is no counter',
    'wait_ms has no help text',
    'wait_ms is a counter and does not end in _total',
    'wait_ms has no base unit',
    'fooBar has a capital letter, a colon or a double underscore',
  ])
})
