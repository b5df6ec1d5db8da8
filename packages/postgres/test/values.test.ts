// Tests values that are sent to a real server and read back.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { executeOn, queryRows } from '../src/query.ts'
import { identifier, SqlFragment, sql } from '../src/statement.ts'
import { firstRow, open } from './support/open.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Strings that UTF-8 and PostgreSQL have: no lone surrogates, no NUL. */
const anyString = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '0').toWellFormed())

describe('values that the client sends', () => {
  test('if a client sends random strings and arrays of strings, the server returns the same values', async () => {
    const connection = await open(database.url)
    await fc.assert(
      fc.asyncProperty(anyString, fc.array(fc.option(anyString)), async (text, list) => {
        const statement = sql`select ${text}::text as text, array_to_json(${list}::text[]) as list`
        expect(await firstRow(connection, statement)).toEqual({ text, list })
      }),
      { numRuns: 200 },
    )
  })

  test('if a string has a NUL character, the server rejects the string, and the connection stays usable', async () => {
    const connection = await open(database.url)
    await expect(queryRows(connection, sql`select ${'a\0b'}::text`)).rejects.toMatchObject({ code: '22021' })
    expect(await firstRow(connection, sql`select 1 as one`)).toEqual({ one: 1 })
  })

  test('if a value has an unsupported type, the client throws a TypeError, and the connection stays usable', async () => {
    const connection = await open(database.url)
    const first = { ...sql`select 1 as one`, prepared: true }
    const sink = { format: 'text', row: () => undefined } as const
    const bad = sql`select ${{} as unknown as string}`
    const requests = [first, bad].map((statement) => ({ statement, sink }))
    await expect(connection.read(requests)).rejects.toThrow(TypeError)
    expect(await firstRow(connection, first)).toEqual({ one: 1 })
    await expect(connection.script('select \0')).rejects.toThrow(TypeError)
    expect(await firstRow(connection, first)).toEqual({ one: 1 })
  })
})

test("if a column is named __proto__, the row object has __proto__ as an own property with the column's value", async () => {
  const row = await firstRow(await open(database.url), sql`select 1 as ${identifier('__proto__')}`)
  expect(Object.entries(row)).toEqual([['__proto__', 1]])
})

test('if the names of columns are random strings, the row contains each value under the exact name', async () => {
  const connection = await open(database.url)
  // A name has at most 63 bytes.
  const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 15 }).map((text) => text.replaceAll('\0', '0'))
  await fc.assert(
    fc.asyncProperty(anyName, async (name) => {
      const wellFormed = name.toWellFormed()
      const row = await firstRow(connection, sql`select ${1}::int as ${identifier(wellFormed)}, ${2}::int as other`)
      expect(Object.entries(row)).toEqual(
        wellFormed === 'other' ? [['other', 2]] : expect.arrayContaining([[wellFormed, 1]]),
      )
    }),
    { numRuns: 200 },
  )
})

describe('values that the client receives', () => {
  test.each([
    ['bool', "'t'::bool", true],
    ['bytea', "'\\x00ff'::bytea", Buffer.from([0, 255])],
    ['bytea without bytes', "''::bytea", Buffer.alloc(0)],
    ['int8', '9223372036854775807::int8', 9223372036854775807n],
    ['int2', '(-32768)::int2', -32768],
    ['int4', '2147483647::int4', 2147483647],
    ['oid', '4294967295::oid', 4294967295],
    ['json', `'{"a": [1, null]}'::json`, { a: [1, null] }],
    ['jsonb', `'[1.5]'::jsonb`, [1.5]],
    ['float4', '1.5::float4', 1.5],
    ['float8', "'-Infinity'::float8", Number.NEGATIVE_INFINITY],
    ['float8 with NaN', "'NaN'::float8", Number.NaN],
    ['date', "'2024-02-29'::date", new Date('2024-02-29T00:00:00Z')],
    ['timestamp', "'2024-02-29 12:34:56.789'::timestamp", new Date('2024-02-29T12:34:56.789Z')],
    ['timestamptz', "'2024-02-29 12:34:56.789+05:30'::timestamptz", new Date('2024-02-29T07:04:56.789Z')],
    [
      'timestamptz with microseconds',
      "'2024-02-29 12:34:56.789999+00'::timestamptz",
      new Date('2024-02-29T12:34:56.789Z'),
    ],
    ['numeric', '12.50::numeric', '12.50'],
    ['text', "'x'::text", 'x'],
    ['int[]', "'{1,2}'::int[]", '{1,2}'],
    ['int8 with null', 'null::int8', null],
    ['unknown with null', 'null', null],
  ])(
    'if the type of a column is %s, the row contains the JavaScript value for this type',
    async (_, expression, expected) => {
      const connection = await open(database.url)
      expect(await firstRow(connection, sql`select ${new SqlFragment([expression], [])} as value`)).toEqual({
        value: expected,
      })
    },
  )

  test.each(['infinity', '-infinity', '10000-01-01', '0044-03-15 BC'])(
    'if a timestamp is %s, the client returns an invalid Date as its value',
    async (text) => {
      const connection = await open(database.url)
      const { value } = await firstRow(connection, sql`select ${text}::timestamptz as value`)
      expect(Number.isNaN((value as Date).getTime())).toBe(true)
    },
  )

  test.each(['America/New_York', 'Asia/Kolkata'])(
    "if the session's time zone is %s, the server returns timestamps and dates as the client sent them",
    async (zone) => {
      const connection = await open(database.url)
      await connection.script(`set timezone = '${zone}'`)
      await fc.assert(
        fc.asyncProperty(
          fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
          async (date) => {
            const statement = sql`select ${date}::timestamptz as tz, (${date}::timestamptz at time zone 'UTC') as plain,
            (${date}::timestamptz at time zone 'UTC')::date as day`
            const day = new Date(`${date.toISOString().slice(0, 10)}T00:00:00Z`)
            expect(await firstRow(connection, statement)).toEqual({ tz: date, plain: date, day })
          },
        ),
        { numRuns: 100 },
      )
    },
  )

  test('if columns are named constructor, toString, and length, the row has all three columns', async () => {
    const connection = await open(database.url)
    const row = await firstRow(connection, sql`select 1 as constructor, 2 as "toString", 3 as length`)
    expect(row).toEqual({ constructor: 1, toString: 2, length: 3 })
  })

  test('executeOn returns the number of changed rows; queryRows returns an empty array for an INSERT without RETURNING and for an empty statement', async () => {
    const connection = await open(database.url)
    await connection.script('create table things (id int)')
    expect(await executeOn(connection, sql`insert into things select generate_series(1, 5)`)).toBe(5)
    expect(await executeOn(connection, sql`update things set id = 0 where id > 3`)).toBe(2)
    expect(await executeOn(connection, sql`truncate things`)).toBe(0)
    expect(await queryRows(connection, sql`insert into things values (1)`)).toEqual([])
    expect(await queryRows(connection, sql`select from things`)).toEqual([{}])
    expect(await queryRows(connection, sql``)).toEqual([])
  })

  test('if the rows of a query exceed 64 MiB, the query fails, and the connection stays usable', async () => {
    const connection = await open(database.url)
    const large = sql`select repeat('x', 1000000) as text from generate_series(1, 70)`
    await expect(queryRows(connection, large)).rejects.toThrow('the result exceeds 67108864 bytes; select fewer rows')
    expect(await firstRow(connection, sql`select 1 as one`)).toEqual({ one: 1 })
  })
})
