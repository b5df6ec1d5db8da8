import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { expect, onTestFinished, test } from 'vitest'
import { FILE_NAMES } from '../src/copies/files/file-tables.ts'
import { XlsxWriter, xlsxCopy } from '../src/copies/files/xlsx-copy.ts'
import { TABLES } from '../src/tables.ts'
import { describeCopy } from './support/copy-contract.ts'
import {
  finishDamaged,
  finishOnClose,
  requireTable,
  rowsThenError,
  statementRunner,
  tableOf,
  WALKED,
  writeFiles,
  writeOrders,
} from './support/file-copies.ts'
import { createFolder } from './support/folders.ts'
import { hasPython, readSheets, rowsOf, sentText } from './support/workbook-cells.ts'

const ORDER = { status: 'paid', created_at: '2026-01-01T00:00:00.000Z', items: [] }

async function createWorkbookPath(): Promise<{ file: string; folder: string }> {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  return { file: path.join(folder, 'shop.xlsx'), folder }
}

const names = async (file: string) => (await readXlsx(readFileSync(file))).sheets.map(({ name }) => name)

if (hasPython)
  describeCopy('a copy in an XLSX workbook', async () => {
    const { folder, remove } = await createFolder()
    const file = path.join(folder, 'shop.xlsx')
    return {
      make: () => finishOnClose(xlsxCopy(file)),
      async read(table) {
        const rows = rowsOf(file, table).map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, sentText(cell)])),
        )
        return rows.toSorted((one, other) => String(one.id).localeCompare(String(other.id)))
      },
      change: statementRunner(`${file}.store-sync.db`),
      remove,
    }
  })

test.runIf(hasPython)(
  'if a string has characters that XML does not allow, a reader of the XLSX file gets the same string',
  async () => {
    const { file } = await createWorkbookPath()
    const odd = ['\u0000\u0001\u001f', '_x0041_', '_x0041_x0042_', '\ufffe\uffff', '\t a\r', '<&>"\'', 'a\u000bb']
    const rows = odd.map((text) => [text])
    await writeFiles(new XlsxWriter(file), [tableOf('texts', rows)])
    expect(rowsOf(file, 'texts').map(({ name }) => name?.[2])).toEqual(odd)
  },
)

test('if an XLSX copy has no rows, the workbook still has a sheet for each table and view, in a fixed order', async () => {
  const { file, folder } = await createWorkbookPath()
  await writeOrders(xlsxCopy(file), [])
  expect(await names(file)).toEqual(FILE_NAMES)
  expect(readdirSync(folder).filter((name) => !name.includes('store-sync.db'))).toEqual(['shop.xlsx'])
  if (hasPython) expect(readSheets(file).map(({ frozen }) => frozen)).toEqual(FILE_NAMES.map(() => '1'))
})

test.runIf(hasPython)(
  'if the first sheet has no amounts, amounts of other XLSX sheets still have the format 0.00',
  async () => {
    const { file } = await createWorkbookPath()
    const copy = xlsxCopy(file)
    await copy.open(TABLES)
    await copy.write({ table: requireTable('customers'), rows: [{ id: 'c', name: 'Ada' }], isFull: false })
    await copy.write({
      table: requireTable('products'),
      rows: [{ id: 'p', name: 'Tea', price: '1.10' }],
      isFull: false,
    })
    for (const name of ['customers', 'products'])
      await copy.end({ table: requireTable(name), state: WALKED, isFull: false })
    await copy.finish()
    await copy.close()
    expect(rowsOf(file, 'products')[0]?.price).toEqual(['n', '0.00', '1.1'])
    expect(rowsOf(file, 'customers')[0]?.name).toEqual(['inlineStr', null, 'Ada'])
  },
)

test('if a table has more rows than an XLSX sheet holds, its rows continue in further sheets with the same header', async () => {
  const { file } = await createWorkbookPath()
  const rows = Array.from({ length: 7 }, (_, index) => [`row ${index}`])
  const writer = new XlsxWriter(file, { maxRowsPerSheet: 4 })
  await writeFiles(writer, [tableOf('orders', rows), tableOf('other', rows.slice(0, 3))])
  const { sheets } = await readXlsx(readFileSync(file))
  expect(sheets.map((sheet) => sheet.name)).toEqual(['orders', 'orders (2)', 'orders (3)', 'other'])
  expect(sheets.map((sheet) => sheet.rows[0])).toEqual([['name'], ['name'], ['name'], ['name']])
  expect(sheets.slice(0, 3).flatMap((sheet) => sheet.rows.slice(1))).toEqual(rows)
})

test.each([0, 1, 2, 3])(
  'if 3,000 emoji begin at offset %i of a string, the XLSX file contains the string unchanged',
  async (offset) => {
    const { file } = await createWorkbookPath()
    const text = 'x'.repeat(offset) + '🛒'.repeat(3000)
    await writeFiles(new XlsxWriter(file), [tableOf('texts', [[text]])])
    const { sheets } = await readXlsx(readFileSync(file))
    expect(sheets[0]?.rows[1]).toEqual([text])
  },
)

test('if a string is too long for an XLSX cell, the cell ends with a note that names the file with the full text', async () => {
  const { file } = await createWorkbookPath()
  const [fits, long] = ['x'.repeat(32_767), '🛒'.repeat(20_000)]
  await writeFiles(new XlsxWriter(file), [tableOf('texts', [[fits], [long]])])
  const { sheets } = await readXlsx(readFileSync(file))
  const [, first, second] = sheets[0]?.rows ?? []
  expect(first).toEqual([fits])
  expect(String(second?.[0]).length).toBeLessThanOrEqual(32_767)
  expect(second?.[0]).toMatch(/^(🛒)+ … \[cut: 40000 characters, full text in shop\.xlsx\.store-sync\.db\]$/u)
})

test('if an error occurs while an XLSX workbook is written, the previous workbook is unchanged, and no other file is left', async () => {
  const { file, folder } = await createWorkbookPath()
  await writeFiles(new XlsxWriter(file), [tableOf('one', [['a']])])
  const before = readFileSync(file)
  const next = [tableOf('one', [['b']]), tableOf('two', rowsThenError([['c']]))]
  await expect(writeFiles(new XlsxWriter(file), next)).rejects.toThrow('the disk is full')
  expect(readdirSync(folder)).toEqual(['shop.xlsx'])
  expect(readFileSync(file).equals(before)).toBe(true)
})

test("if an XLSX copy can't write its workbook because a view is missing, the previous workbook is unchanged, and the next run replaces it", async () => {
  const { file } = await createWorkbookPath()
  await writeOrders(xlsxCopy(file), [{ ...ORDER, id: 'a' }])
  const before = readFileSync(file)
  await expect(finishDamaged(xlsxCopy(file), `${file}.store-sync.db`)).rejects.toThrow('order_lines')
  expect(readFileSync(file).equals(before)).toBe(true)
  await writeOrders(xlsxCopy(file), [{ ...ORDER, id: 'b' }])
  const { sheets } = await readXlsx(readFileSync(file))
  expect(sheets[0]?.rows).toHaveLength(3)
})
