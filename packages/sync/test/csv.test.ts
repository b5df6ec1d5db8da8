import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CsvWriter, csvCopy } from '../src/copies/files/csv-copy.ts'
import { FILE_NAMES } from '../src/copies/files/file-tables.ts'
import { TABLES } from '../src/tables.ts'
import { describeCopy } from './support/copy-contract.ts'
import { readCsv } from './support/csv-reader.ts'
import {
  finishDamaged,
  finishOnClose,
  rowsThenError,
  statementRunner,
  tableOf,
  writeFiles,
  writeOrders,
} from './support/file-copies.ts'

const PYTHON = `
import csv, json, sys
with open(sys.argv[1], encoding='utf-8-sig', newline='') as file:
    print(json.dumps(list(csv.reader(file, strict=True))))`
const hasPython = spawnSync('python3', ['--version']).status === 0
const ORDER = { status: 'paid', created_at: '2026-01-01T00:00:00.000Z', items: [] }

import { linesOf } from './support/csv-reader.ts'
import { createFolder, createTestFolder } from './support/folders.ts'

/** Returns the lines of a file. If Python is installed, compares them with its reader, which returns null as ''. */
function readLines(file: string): (string | null)[][] {
  const text = readFileSync(file, 'utf8')
  expect(text.startsWith('\uFEFF')).toBe(true)
  const lines = linesOf(text.slice(1))
  if (hasPython) {
    const python = spawnSync('python3', ['-c', PYTHON, file], { encoding: 'utf8' })
    expect(JSON.parse(python.stdout)).toEqual(lines.map((line) => line.map((value) => value ?? '')))
  }
  return lines
}

function readRows(file: string): Record<string, string | null>[] {
  const [header = [], ...lines] = readLines(file)
  const unescaped = (value: string | null | undefined) => value?.replace(/^'(?='*[=+\-@\t\r＝＋－＠])/, '') ?? null
  const rows = lines.map((line) => Object.fromEntries(header.map((name, at) => [name ?? '', unescaped(line[at])])))
  return rows.toSorted((one, other) => String(one.id).localeCompare(String(other.id)))
}

describeCopy('a copy in a folder of CSV files', async () => {
  const { folder, remove } = await createFolder()
  return {
    make: () => finishOnClose(csvCopy(folder)),
    read: async (table) => readRows(path.join(folder, `${table}.csv`)),
    change: statementRunner(path.join(folder, '.store-sync.db')),
    remove,
  }
})

test('if a CSV copy has no rows, each table and view still has a file, and orders.csv starts with a header', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  await writeOrders(csvCopy(folder), [])
  const visible = readdirSync(folder).filter((name) => !name.startsWith('.'))
  expect(visible.toSorted()).toEqual(FILE_NAMES.map((name) => `${name}.csv`).toSorted())
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
  expect(readLines(path.join(folder, 'orders.csv'))[0]?.slice(0, 1)).toEqual(['id'])
})

test('a CSV copy puts an apostrophe before strings that look like formulas, but not before negative amounts', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  await writeOrders(csvCopy(folder), [
    { ...ORDER, id: 'a', total: '-5.00', email: '=1+1', discount_code: "'=1+1" },
    { ...ORDER, id: 'b', email: '-5.00', discount_code: "'s Gravenhage" },
  ])
  const [header = [], ...lines] = readLines(path.join(folder, 'orders.csv'))
  const column = (name: string) => lines.map((line) => line[header.indexOf(name)])
  expect(column('total')).toEqual(['-5.00', null])
  expect(column('email')).toEqual(["'=1+1", "'-5.00"])
  expect(column('discount_code')).toEqual(["''=1+1", "'s Gravenhage"])
})

test('if an order has items, orders_overview.csv has one line for the order, and order_lines.csv has one line for each item', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const items = [{ id: 'i', order_id: 'a', name: 'Tea', price: '-1.10', quantity: 2 }]
  await writeOrders(csvCopy(folder), [{ ...ORDER, id: 'a', email: 'a@example.com', total: '-10.50', items }])
  expect(readRows(path.join(folder, 'orders_overview.csv'))).toMatchObject([
    { id: 'a', customer: 'a@example.com', lines: '1', total: '-10.50' },
  ])
  expect(readRows(path.join(folder, 'order_lines.csv'))).toMatchObject([
    { id: 'i', order_id: 'a', name: 'Tea', quantity: '2', price: '-1.10' },
  ])
})

test('if an error occurs while CSV files are written, all previous files are unchanged, and no new files are left', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const writer = new CsvWriter(folder)
  await writeFiles(writer, [tableOf('one', [['a']]), tableOf('two', [['b']])])
  const next = [tableOf('one', [['c']]), tableOf('two', rowsThenError([['d']]))]
  await expect(writeFiles(writer, next)).rejects.toThrow('the disk is full')
  expect(readdirSync(folder).toSorted()).toEqual(['one.csv', 'two.csv'])
  expect(readLines(path.join(folder, 'one.csv'))).toEqual([['name'], ['a']])
  expect(readLines(path.join(folder, 'two.csv'))).toEqual([['name'], ['b']])
})

test("if a CSV copy can't write its files because a view is missing, the previous files are unchanged, and the next run writes new files", async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const ids = () => readRows(path.join(folder, 'orders_overview.csv')).map(({ id }) => id)
  await writeOrders(csvCopy(folder), [{ ...ORDER, id: 'a' }])
  const copy = csvCopy(folder)
  await expect(finishDamaged(copy, path.join(folder, '.store-sync.db'))).rejects.toThrow('order_lines')
  expect(ids()).toEqual(['a'])
  await writeOrders(csvCopy(folder), [{ ...ORDER, id: 'b' }])
  expect(ids()).toEqual(['a', 'b'])
})

test('if a string starts with +, a CSV copy puts an apostrophe before the string only if characters other than digits follow the +', async () => {
  const folder = await createTestFolder()
  const emails = ['+4930123456', '+49 30 1', '+1+1', '+', "'+4930123456"]
  await writeOrders(
    csvCopy(folder),
    emails.map((email, index) => ({ ...ORDER, id: String(index), email })),
  )
  const read = readCsv(path.join(folder, 'orders.csv')).map((row) => row.email)
  expect(read).toEqual(emails)
  const text = await readFile(path.join(folder, 'orders.csv'), 'utf8')
  expect(text).toContain(',+4930123456,')
  expect(text).toContain(",'+49 30 1,")
})

test('if the options for the CSV delimiter and formula escaping change, the next run rewrites the CSV files with the new options', async () => {
  const folder = await createTestFolder()
  const rows = [
    { ...ORDER, id: 'a', email: '=1+1', discount_code: 'a;b' },
    { ...ORDER, id: 'b', email: "'@x", discount_code: 'a,b' },
  ]
  await writeOrders(csvCopy(folder), rows)
  const options = { delimiter: ';', escapesFormulas: false }
  const copy = csvCopy(folder, options)
  await copy.open(TABLES)
  expect(await copy.changedFiles(), 'a file written with other options is not changed').toEqual([])
  await copy.finish()
  await copy.close()
  const text = await readFile(path.join(folder, 'orders.csv'), 'utf8')
  const [head = '', ...lines] = text.slice(1).trimEnd().split('\r\n')
  expect(head.split(';').slice(0, 2)).toEqual(['id', 'customer_id'])
  expect(lines[0]).toMatch(/^a;.*;=1\+1;.*;"a;b";/)
  expect(lines[1]).toMatch(/^b;.*;'@x;.*;a,b;/)
  const usual = csvCopy(folder)
  await usual.open(TABLES)
  await usual.finish()
  await usual.close()
  expect(await readFile(path.join(folder, 'orders.csv'), 'utf8')).toMatch(/,'=1\+1,/)
})
