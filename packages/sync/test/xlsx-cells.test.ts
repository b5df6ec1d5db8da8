// What the cells of a workbook are: numbers and days where nothing is lost by it, shown as what they are, and text otherwise.

import path from 'node:path'
import { childrenOf, RESOURCES } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import type { Cell, FileColumn } from '../src/copies/files-tables.ts'
import { XlsxWriter, xlsxCopy } from '../src/copies/xlsx.ts'
import { aPlace, writeFiles, writeOrders } from './files-support.ts'
import { hasPython, INSTANTS, readSheets, rowsOf, shown } from './support/workbook-cells.ts'

const ORDER = { status: 'paid', created_at: '2026-01-01T00:00:00.000Z', items: [] }

const aWorkbook = async () => ({ file: path.join(await aPlace(), 'shop.xlsx') })

test.runIf(hasPython)('whole numbers, booleans, amounts and instants are typed, where no digit is lost', async () => {
  const { file } = await aWorkbook()
  const items = [{ id: 'i', order_id: 'a', name: '007', price: '1.10', quantity: 2 }]
  await writeOrders(xlsxCopy(file), [
    { ...ORDER, id: 'a', total: '-9999999999999.10', subtotal: '99999999999999.10', email: '=1+1', items },
  ])
  const [order] = rowsOf(file, 'orders')
  expect(order?.total).toEqual(['n', '0.00', '-9999999999999.1'])
  expect(order?.subtotal).toEqual(['inlineStr', '0.00', '99999999999999.10'])
  expect(order?.email).toEqual(['inlineStr', null, '=1+1'])
  expect(order?.created_at).toEqual(['n', INSTANTS, '46023'])
  expect(order?.updated_at).toBeNull()
  const [line] = rowsOf(file, 'order_lines')
  expect([line?.name, line?.quantity, line?.price]).toEqual([
    ['inlineStr', null, '007'],
    ['n', null, '2'],
    ['n', '0.00', '1.1'],
  ])
})

const instant: FileColumn = { name: 'at', kind: 'timestamp', isMoney: false }
const text: FileColumn = { name: 'text', kind: 'text', isMoney: false }
const money: FileColumn = { name: 'amount', kind: 'decimal', isMoney: true }

test.runIf(hasPython)('an instant is a cell of date and time in UTC, and comes back to the millisecond', async () => {
  const { file } = await aWorkbook()
  const [first, last] = [Date.UTC(1900, 2, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]
  const near = [first, first + 1, Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(2026, 9, 25, 1, 30), last - 1, last]
  // golden steps through all the years, and through each millisecond of a second
  const far = Array.from(
    { length: 5000 },
    (_, index) => first + Math.floor((index * 0.618_033_988_749 * (last - first)) % (last - first)),
  )
  const each = Array.from({ length: 1000 }, (_, index) => Date.UTC(2026, 8, 30, 23, 59, 59, index))
  const sent = [...near, ...far, ...each].map((ms) => new Date(ms).toISOString())
  await writeFiles(new XlsxWriter(file), [{ name: 'instants', columns: [instant], rows: sent.map((at) => [at]) }])
  const cells = rowsOf(file, 'instants').map(({ at }) => at ?? null)
  expect(cells.filter((cell) => cell?.[0] !== 'n' || cell[1] !== INSTANTS)).toEqual([])
  expect(cells.map(shown)).toEqual(sent)
})

test.runIf(hasPython)(
  'what a workbook cannot hold as a day is the text that was sent, and nothing stays empty',
  async () => {
    const { file } = await aWorkbook()
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
    await writeFiles(new XlsxWriter(file), [{ name: 'odd', columns: [text, instant], rows }])
    const cells = rowsOf(file, 'odd').map(({ at }) => at)
    expect(cells).toEqual([...texts.map((at) => ['inlineStr', INSTANTS, at]), null])
  },
)

test.runIf(hasPython)('instants within JSON stay the text that they are', async () => {
  const { file } = await aWorkbook()
  const metafields = { at: '2026-01-01T00:00:00.000Z' }
  await writeOrders(xlsxCopy(file), [{ ...ORDER, id: 'a', metafields }])
  expect(rowsOf(file, 'orders')[0]?.metafields).toEqual(['inlineStr', null, JSON.stringify(metafields)])
})

describe.runIf(hasPython)('every sheet means the same format by the same number', () => {
  const SAMPLES: ReadonlyMap<FileColumn, Cell> = new Map([
    [instant, '2026-01-01T12:00:00.000Z'],
    [text, '7'],
    [money, '7.00'],
  ])
  const orders = [[instant, money], [instant], [text, money, instant], [text, instant, money], [text, money], [text]]
  test.each(orders.map((first) => ({ first, names: first.map(({ name }) => name).join(', ') })))(
    'whatever columns it has, behind one of $names',
    async ({ first }) => {
      const { file } = await aWorkbook()
      const tables = [first, ...orders].map((columns, index) => ({
        name: `sheet${index}`,
        columns,
        rows: [columns.map((column) => SAMPLES.get(column) ?? null)],
      }))
      await writeFiles(new XlsxWriter(file), tables)
      for (const { name, columns } of tables) {
        const [row] = rowsOf(file, name)
        if (columns.includes(instant)) expect(row?.at, name).toEqual(['n', INSTANTS, '46023.5'])
        if (columns.includes(money)) expect(row?.amount, name).toEqual(['n', '0.00', '7'])
        if (columns.includes(text)) expect(row?.text, name).toEqual(['inlineStr', expect.anything(), '7'])
      }
    },
  )

  test('in all tables and views of a copy, as the contract has their columns', async () => {
    const { file } = await aWorkbook()
    await writeOrders(xlsxCopy(file), [])
    const fields = [...RESOURCES, ...RESOURCES.flatMap(childrenOf)].flatMap((each) => Object.entries(each.fields))
    const kinds = new Map<string, string>(fields.map(([name, { type }]) => [name, type.kind]))
    kinds.set('line_total', 'money')
    const expected = ({ kind }: { kind: string | undefined }) =>
      kind === 'timestamp' ? INSTANTS : kind === 'money' ? '0.00' : null
    const headers = readSheets(file).flatMap(({ name, rows }) =>
      // the first column's format is that of days, whatever it holds
      Object.values(rows[0] ?? {}).flatMap(([, format, column], index) =>
        index === 0 ? [] : [{ sheet: name, column, format }],
      ),
    )
    expect(headers).toEqual(headers.map((each) => ({ ...each, format: expected({ kind: kinds.get(each.column) }) })))
    expect(new Set(headers.map(({ format }) => format))).toEqual(new Set([INSTANTS, '0.00', null]))
  })

  test('so a sheet that would begin with numbers is refused', async () => {
    const { file } = await aWorkbook()
    const writing = writeFiles(new XlsxWriter(file), [{ name: 'bad', columns: [money, instant], rows: [] }])
    await expect(writing).rejects.toThrow('a sheet cannot begin with the numbers of amount')
  })
})
