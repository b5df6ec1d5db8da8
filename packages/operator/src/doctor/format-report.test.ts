import { expect, test } from 'vitest'
import { formatStores } from './format-report.ts'
import type { StoreReport } from './report.ts'

const report = (index: number, ok = true): StoreReport => ({
  id: `id-${index}`,
  name: `Shop ${index}`,
  revision: 'v1.6',
  checks: ok
    ? []
    : [
        {
          name: 'connection',
          summary: null,
          findings: [{ severity: 'error', code: 'x', message: 'broken', fix: null }],
        },
      ],
})
const healthy = (count: number) => Array.from({ length: count }, (_, index) => report(index))
const linesOf = (stores: StoreReport[]) =>
  formatStores(stores, (_, text) => text)
    .trimEnd()
    .split('\n')

test("if 20 stores are healthy, doctor's report has one line per store", () => {
  expect(linesOf(healthy(20))).toHaveLength(20)
})

test("if 21 stores are healthy and one is not, doctor's report has one line for all healthy stores, and the checks of the unhealthy store", () => {
  expect(linesOf([report(99, false), ...healthy(21)])).toEqual([
    '  ok  21 healthy stores',
    '',
    'Shop 99  id-99  v1.6',
    '  !   connection    broken',
  ])
})
