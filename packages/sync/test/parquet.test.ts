import { readdirSync } from 'node:fs'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { CopyError } from '../src/copies/copy.ts'
import { loadDuckDb } from '../src/copies/duckdb/load-duckdb.ts'
import { FileCopy } from '../src/copies/files/file-copy.ts'
import { FILE_NAMES, type FileColumn, type FileTable } from '../src/copies/files/file-tables.ts'
import { parquetCopy } from '../src/copies/files/parquet-copy.ts'
import { ParquetWriter } from '../src/copies/files/parquet-writer.ts'
import { TABLES } from '../src/tables.ts'
import { describeCopy } from './support/copy-contract.ts'
import {
  finishDamaged,
  finishOnClose,
  rowsThenError,
  statementRunner,
  tableOf,
  writeFiles,
  writeOrders,
} from './support/file-copies.ts'
import { createFolder } from './support/folders.ts'

const ORDER = { status: 'paid', created_at: '2026-01-01T00:00:00.000Z', items: [] }

/** Runs a query in a new database on the files. */
async function query(sql: string): Promise<Record<string, unknown>[]> {
  const database = await DuckDBInstance.create(':memory:', { autoload_known_extensions: 'false' })
  const connection = await database.connect()
  try {
    await connection.run("set TimeZone = 'UTC'")
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    database.closeSync()
  }
}

/** Returns the types of the columns from the schema of the file. */
async function typesIn(file: string): Promise<Record<string, unknown>> {
  const columns = await query(`select name, type, converted_type, logical_type from parquet_schema('${file}')`)
  return Object.fromEntries(
    columns.slice(1).map((each) => [each.name, each.converted_type ?? each.logical_type ?? each.type]),
  )
}

function tableWith(column: Omit<FileColumn, 'name'>, values: readonly string[]): FileTable {
  return { name: 'one', columns: [{ name: 'value', ...column }], rows: [...values.map((value) => [value]), [null]] }
}

describeCopy('a copy in a folder of Parquet files', async () => {
  const { folder, remove } = await createFolder()
  return {
    make: () => finishOnClose(parquetCopy(folder)),
    async read(table) {
      const file = path.join(folder, `${table}.parquet`)
      const columns = Object.entries(await typesIn(file)).map(([name, type]) =>
        type === 'TIMESTAMP_MICROS'
          ? `strftime("${name}", '%Y-%m-%dT%H:%M:%S.%gZ') as "${name}"`
          : `"${name}"::varchar as "${name}"`,
      )
      const rows = await query(`select ${columns} from '${file}' order by id`)
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)])),
      )
    },
    change: statementRunner(path.join(folder, '.store-sync-parquet.db')),
    remove,
  }
})

test('if a Parquet copy has no rows, each table and view still has a file, and the columns have types', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  await writeOrders(parquetCopy(folder), [])
  const visible = readdirSync(folder).filter((name) => !name.startsWith('.store-sync-parquet.db'))
  expect(visible.toSorted()).toEqual(FILE_NAMES.map((name) => `${name}.parquet`).toSorted())
  expect(await typesIn(path.join(folder, 'orders.parquet'))).toMatchObject({
    id: 'UTF8',
    total: 'DECIMAL',
    shipping_address: 'JSON',
    created_at: 'TIMESTAMP_MICROS',
  })
  expect(await typesIn(path.join(folder, 'orders_overview.parquet'))).toMatchObject({ lines: 'INT_32' })
  expect(await typesIn(path.join(folder, 'products.parquet'))).toMatchObject({ has_variants: 'BOOLEAN' })
})

test('DuckDB sums the amounts and compares the timestamps of a Parquet copy exactly', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  await writeOrders(parquetCopy(folder), [
    { ...ORDER, id: 'a', total: '0.10', created_at: '2025-12-31T23:59:59.999Z' },
    { ...ORDER, id: 'b', total: '9999999999999999.99' },
    { ...ORDER, id: 'c', total: '-0.20' },
    { ...ORDER, id: 'd' },
  ])
  const file = path.join(folder, 'orders.parquet')
  expect(await query(`select typeof(total) as type, sum(total)::varchar as sum from '${file}' group by all`)).toEqual([
    { type: 'DECIMAL(18,2)', sum: '9999999999999999.89' },
  ])
  const early = await query(`select id from '${file}' where created_at < timestamptz '2026-01-01 00:00:00+00'`)
  expect(early).toEqual([{ id: 'a' }])
})

test.each([
  {
    kind: 'money',
    sent: ['1.10', '12345678901234567.89'],
    type: 'DECIMAL(38,2)',
    stored: ['1.10', '12345678901234567.89'],
  },
  { kind: 'money', sent: ['1.10', '1.005'], type: 'VARCHAR', stored: ['1.10', '1.005'] },
  {
    kind: 'decimal',
    sent: ['52.5200066', '-13.4049540000'],
    type: 'DECIMAL(18,10)',
    stored: ['52.5200066000', '-13.4049540000'],
  },
  {
    kind: 'decimal',
    sent: ['1.5', '0.12345678901'],
    type: 'DECIMAL(38,19)',
    stored: ['1.5000000000000000000', '0.1234567890100000000'],
  },
  {
    kind: 'decimal',
    sent: ['1.5', '0.12345678901234567890123'],
    type: 'VARCHAR',
    stored: ['1.5', '0.12345678901234567890123'],
  },
  { kind: 'decimal', sent: ['NaN'], type: 'VARCHAR', stored: ['NaN'] },
  {
    kind: 'timestamp',
    sent: ['2026-01-01T00:00:00.000Z', 'infinity'],
    type: 'VARCHAR',
    stored: ['2026-01-01T00:00:00.000Z', 'infinity'],
  },
  { kind: 'timestamp', sent: ['2026-02-30T00:00:00.000Z'], type: 'VARCHAR', stored: ['2026-02-30T00:00:00.000Z'] },
  { kind: 'json', sent: ['{"a": 1.10}', '[]'], type: 'JSON', stored: ['{"a": 1.10}', '[]'] },
  { kind: 'json', sent: ['{"a":"\\ud83d"}'], type: 'VARCHAR', stored: ['{"a":"\\ud83d"}'] },
] as const)(
  'if a column of kind $kind has the values $sent, its Parquet type is $type, and every digit is preserved',
  async ({ kind, sent, type, stored }) => {
    const { folder, remove } = await createFolder()
    onTestFinished(remove)
    const column = kind === 'money' ? { kind: 'decimal' as const, isMoney: true } : { kind, isMoney: false }
    await writeFiles(new ParquetWriter(folder), [tableWith(column, sent)])
    const rows = await query(`select typeof(value) as type, value::varchar as value from '${folder}/one.parquet'`)
    expect(rows).toEqual([...stored, null].map((value) => ({ type, value })))
  },
)

test('a Parquet file stores empty strings and strings with unusual characters unchanged', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const texts = ['', null, '\u0000', "a'b", 'a\u0000b', '007', '🛒', 'e\u0301', '\ufeffx', '\r\n', 'x'.repeat(100_000)]
  await writeFiles(new ParquetWriter(folder), [tableOf("it's", [...texts.map((text) => [text])])])
  // The query returns bytes, because the reader's decoder drops a byte order mark.
  const rows = await query(`select hex(encode(name)) as bytes from '${folder}/it''s.parquet'`)
  const read = rows.map(({ bytes }) => (bytes === null ? null : Buffer.from(String(bytes), 'hex').toString()))
  expect(read).toEqual(texts)
})

test('if a Parquet file has several row groups, its rows are in the order in which they were written', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const count = 300_000
  const rows = {
    *[Symbol.iterator]() {
      for (let at = 0; at < count; at += 1) yield [`row ${at}`]
    },
  }
  await writeFiles(new ParquetWriter(folder), [tableOf('one', rows)])
  const wrong = `select count(*)::integer as rows, count(*) filter (name <> 'row ' || file_row_number)::integer as moved`
  expect(await query(`${wrong} from read_parquet('${folder}/one.parquet', file_row_number = true)`)).toEqual([
    { rows: count, moved: 0 },
  ])
  const groups = `select count(distinct row_group_id)::integer as groups from parquet_metadata('${folder}/one.parquet')`
  expect(await query(groups)).toEqual([{ groups: 2 }])
})

test('if an error occurs while Parquet files are written, all previous files are unchanged, and no new files are left', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const writer = new ParquetWriter(folder)
  await writeFiles(writer, [tableOf('one', [['a']]), tableOf('two', [['b']])])
  const next = [tableOf('one', [['c']]), tableOf('two', rowsThenError([['d']]))]
  await expect(writeFiles(writer, next)).rejects.toThrow('the disk is full')
  expect(readdirSync(folder).toSorted()).toEqual(['one.parquet', 'two.parquet'])
  expect(await query(`select name from read_parquet('${folder}/*.parquet') order by name`)).toEqual([
    { name: 'a' },
    { name: 'b' },
  ])
})

test("if a Parquet copy can't write its files because a view is missing, the previous files are unchanged, and the next run writes new files", async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const ids = () => query(`select id from '${folder}/orders_overview.parquet' order by id`)
  await writeOrders(parquetCopy(folder), [{ ...ORDER, id: 'a' }])
  const database = path.join(folder, '.store-sync-parquet.db')
  await expect(finishDamaged(parquetCopy(folder), database)).rejects.toThrow('order_lines')
  expect(await ids()).toEqual([{ id: 'a' }])
  await writeOrders(parquetCopy(folder), [{ ...ORDER, id: 'b' }])
  expect(await ids()).toEqual([{ id: 'a' }, { id: 'b' }])
})

test('if DuckDB is not installed, opening a Parquet copy throws a CopyError with the npm install command and creates nothing', async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  const missing = 'a-package-that-is-not-there'
  const writer = new ParquetWriter(folder, () => loadDuckDb(() => import(missing)))
  const copy = new FileCopy({ name: folder, database: path.join(folder, 'copy', '.store-sync.db'), writer })
  const opening = copy.open(TABLES)
  await expect(opening).rejects.toThrow(CopyError)
  await expect(opening).rejects.toThrow(/npm install @duckdb\/node-api@1\.5\.6-r\.1$/)
  expect(readdirSync(folder)).toEqual([])
})
