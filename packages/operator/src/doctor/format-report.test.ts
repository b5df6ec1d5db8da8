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

test("if four stores have the same problem, doctor's report has it once, with the number of stores and three IDs", () => {
  const stores = [1, 2, 3, 4].map((index) => report(index, false))
  expect(linesOf(stores)).toEqual([
    '4 stores with the same problems, such as id-1, id-2, id-3',
    '  !   connection    broken',
  ])
  expect(linesOf(stores.slice(1)).filter((line) => line.includes('broken'))).toHaveLength(3)
})

test("if 21 stores are healthy and one is not, doctor's report has one line for all healthy stores, and the checks of the unhealthy store", () => {
  expect(linesOf([report(99, false), ...healthy(21)])).toEqual([
    '  ok  21 healthy stores',
    '',
    'Shop 99  id-99  v1.6',
    '  !   connection    broken',
  ])
})

test("if a message or a fix has control characters, doctor's report has ? in their place, and a fix can have several lines", () => {
  const finding = { severity: 'error', code: 'x', message: 'index \x1b[2J', fix: 'drop index\n"\x1b[2J";' } as const
  const checks = [
    { name: 'indexes', summary: null, findings: [finding] },
    {
      name: 'connection',
      summary: 'PostgreSQL 18 as \x07',
      findings: [{ ...finding, severity: 'note', fix: null } as const],
    },
  ]
  expect(linesOf([{ ...report(1), checks }])).toEqual([
    'Shop 1  id-1  v1.6',
    '  !   indexes       index ?[2J',
    '                    drop index',
    '                    "?[2J";',
    '  ok  connection    PostgreSQL 18 as ?',
    '                    note: index ?[2J',
  ])
})
