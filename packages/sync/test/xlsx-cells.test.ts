// Tests the cells of a workbook. Numbers and dates are cells of that type if they represent the value exactly, and text
// otherwise.

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileCell, FileColumn } from '../src/copies/files/file-tables.ts'
import { XlsxWriter, xlsxCopy } from '../src/copies/files/xlsx-copy.ts'
import { type CopyColumn, type CopyColumnKind, TABLES } from '../src/tables.ts'
import { WALKED, writeFiles, writeOrders } from './support/file-copies.ts'
import { createTestFolder } from './support/folders.ts'
import { hasPython, readSheets, rowsOf, sentText, TIMESTAMP_FORMAT } from './support/workbook-cells.ts'

const ORDER = { status: 'paid', created_at: '2026-01-01T00:00:00.000Z', items: [] }

const createWorkbookPath = async () => ({ file: path.join(await createTestFolder(), 'shop.xlsx') })

test.runIf(hasPython)(
  'an XLSX cell is a number if it can hold the value exactly; a string or a number with too many digits becomes text',
  async () => {
    const { file } = await createWorkbookPath()
    const items = [{ id: 'i', order_id: 'a', name: '007', price: '1.10', quantity: 2 }]
    await writeOrders(xlsxCopy(file), [
      { ...ORDER, id: 'a', total: '-9999999999999.10', subtotal: '99999999999999.10', email: '=1+1', items },
    ])
    const [order] = rowsOf(file, 'orders')
    expect(order?.total).toEqual(['n', '0.00', '-9999999999999.1'])
    expect(order?.subtotal).toEqual(['inlineStr', '0.00', '99999999999999.10'])
    expect(order?.email).toEqual(['inlineStr', null, '=1+1'])
    expect(order?.created_at).toEqual(['n', TIMESTAMP_FORMAT, '46023'])
    expect(order?.updated_at).toBeNull()
    const [line] = rowsOf(file, 'order_lines')
    expect([line?.name, line?.quantity, line?.price]).toEqual([
      ['inlineStr', null, '007'],
      ['n', null, '2'],
      ['n', '0.00', '1.1'],
    ])
  },
)

const timestamp: FileColumn = { name: 'at', kind: 'timestamp', isMoney: false }
const text: FileColumn = { name: 'text', kind: 'text', isMoney: false }
const money: FileColumn = { name: 'amount', kind: 'decimal', isMoney: true }

test.runIf(hasPython)(
  'timestamps from 1900-03-01 to the end of 9999 become XLSX date cells that are exact to the millisecond',
  async () => {
    const { file } = await createWorkbookPath()
    const [first, last] = [Date.UTC(1900, 2, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]
    const near = [
      first,
      first + 1,
      Date.UTC(2024, 1, 29, 23, 59, 59, 999),
      Date.UTC(2026, 9, 25, 1, 30),
      last - 1,
      last,
    ]
    // The steps are those of the golden ratio, through all years and through the milliseconds of a second.
    const far = Array.from(
      { length: 5000 },
      (_, index) => first + Math.floor((index * 0.618_033_988_749 * (last - first)) % (last - first)),
    )
    const each = Array.from({ length: 1000 }, (_, index) => Date.UTC(2026, 8, 30, 23, 59, 59, index))
    const sent = [...near, ...far, ...each].map((ms) => new Date(ms).toISOString())
    await writeFiles(new XlsxWriter(file), [{ name: 'timestamps', columns: [timestamp], rows: sent.map((at) => [at]) }])
    const cells = rowsOf(file, 'timestamps').map(({ at }) => at ?? null)
    expect(cells.filter((cell) => cell?.[0] !== 'n' || cell[1] !== TIMESTAMP_FORMAT)).toEqual([])
    expect(cells.map(sentText)).toEqual(sent)
  },
)

test.runIf(hasPython)(
  "if an XLSX date can't represent a timestamp, the cell is text; if the timestamp is null, the cell is empty",
  async () => {
    const { file } = await createWorkbookPath()
    const texts = [
      '0001-01-01T00:00:00.000Z',
      '1900-02-28T23:59:59.999Z',
      '+010000-01-01T00:00:00.000Z',
      '2026-02-30T00:00:00.000Z',
      '2026-02-01T24:00:00.000Z',
      '2026-02-01T00:00:00.0001Z',
      '2026-02-01T00:00:00Z',
      '2026-02-01T00:00:00.000+00:00',
      '2026-02-01',
      'infinity',
      '46023',
    ]
    const rows = [...texts, null].map((at, index) => [`${index}`, at])
    await writeFiles(new XlsxWriter(file), [{ name: 'odd', columns: [text, timestamp], rows }])
    const cells = rowsOf(file, 'odd').map(({ at }) => at)
    expect(cells).toEqual([...texts.map((at) => ['inlineStr', TIMESTAMP_FORMAT, at]), null])
  },
)

test.runIf(hasPython)('if JSON contains a timestamp, the XLSX cell has the JSON as text', async () => {
  const { file } = await createWorkbookPath()
  const metafields = { at: '2026-01-01T00:00:00.000Z' }
  await writeOrders(xlsxCopy(file), [{ ...ORDER, id: 'a', metafields }])
  expect(rowsOf(file, 'orders')[0]?.metafields).toEqual(['inlineStr', null, JSON.stringify(metafields)])
})

describe.runIf(hasPython)('formats of XLSX sheets', () => {
  const SAMPLES: ReadonlyMap<FileColumn, FileCell> = new Map([
    [timestamp, '2026-01-01T12:00:00.000Z'],
    [text, '7'],
    [money, '7.00'],
  ])
  const orders = [
    [timestamp, money],
    [timestamp],
    [text, money, timestamp],
    [text, timestamp, money],
    [text, money],
    [text],
  ]
  test.each(orders.map((first) => ({ first, names: first.map(({ name }) => name).join(', ') })))(
    'if the columns of the first sheet are $names, cells of each type have the same format in all XLSX sheets',
    async ({ first }) => {
      const { file } = await createWorkbookPath()
      const tables = [first, ...orders].map((columns, index) => ({
        name: `sheet${index}`,
        columns,
        rows: [columns.map((column) => SAMPLES.get(column) ?? null)],
      }))
      await writeFiles(new XlsxWriter(file), tables)
      for (const { name, columns } of tables) {
        const [row] = rowsOf(file, name)
        if (columns.includes(timestamp)) expect(row?.at, name).toEqual(['n', TIMESTAMP_FORMAT, '46023.5'])
        if (columns.includes(money)) expect(row?.amount, name).toEqual(['n', '0.00', '7'])
        if (columns.includes(text)) expect(row?.text, name).toEqual(['inlineStr', expect.anything(), '7'])
      }
    },
  )

  test('in every table of an XLSX copy, timestamps have a date format, amounts have the format 0.00, and other cells have no format', async () => {
    const { file } = await createWorkbookPath()
    const timestampText = '2026-01-01T00:00:00.000Z'
    const values: Partial<Record<CopyColumnKind, unknown>> = {
      timestamp: timestampText,
      decimal: '7.00',
      integer: 1,
      boolean: true,
    }
    const rowOf = (columns: readonly CopyColumn[]) =>
      Object.fromEntries(columns.map(({ name, kind }) => [name, values[kind] ?? (kind === 'json' ? {} : 'x')]))
    const copy = xlsxCopy(file)
    await copy.open(TABLES)
    for (const table of TABLES) {
      const children = table.children.map((child) => [
        child.field,
        [{ ...rowOf(child.columns), [child.parentColumn]: 'x' }],
      ])
      await copy.write({ table, rows: [{ ...rowOf(table.columns), ...Object.fromEntries(children) }], isFull: false })
      await copy.end({ table, state: WALKED, isFull: false })
    }
    await copy.finish()
    await copy.close()
    for (const { name, columns } of TABLES.flatMap((table) => [table, ...table.children])) {
      const [row] = rowsOf(file, name)
      for (const { name: column, kind, isMoney } of columns.slice(1)) {
        const expected = kind === 'timestamp' ? TIMESTAMP_FORMAT : isMoney ? '0.00' : null
        expect(row?.[column]?.[1] ?? null, `${name}.${column}`).toBe(expected)
      }
    }
    const [line] = rowsOf(file, 'order_lines')
    expect(line?.line_total).toEqual(['n', '0.00', '7'])
  })

  test('each sheet of an XLSX workbook has a bold, frozen header, and a filter over all rows', async () => {
    const { file } = await createWorkbookPath()
    await writeOrders(
      xlsxCopy(file, { maxRowsPerSheet: 3 }),
      ['a', 'b', 'c'].map((id) => ({ ...ORDER, id, items: [] })),
    )
    const sheets = readSheets(file)
    const lastColumn = (name: string) => Object.keys(sheets.find((sheet) => sheet.name === name)?.rows[0] ?? {}).at(-1)
    for (const { name, isBold, frozen, filter, rows } of sheets) {
      expect([isBold, frozen], name).toEqual([true, '1'])
      expect(filter, name).toBe(`A1:${lastColumn(name)}${rows.length}`)
    }
    expect(sheets.filter(({ name }) => name.startsWith('orders')).map(({ rows }) => rows.length)).toEqual([3, 2, 3, 2])
  })

  test('if the first column of a sheet is numeric, the XLSX writer throws an error that names this column', async () => {
    const { file } = await createWorkbookPath()
    const writing = writeFiles(new XlsxWriter(file), [{ name: 'bad', columns: [money, timestamp], rows: [] }])
    await expect(writing).rejects.toThrow('the first column of a sheet cannot contain numbers: amount')
  })
})
