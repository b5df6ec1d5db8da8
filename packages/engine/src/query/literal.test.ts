import { queryRows } from '@store-export/postgres'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'
import {
  civilDate,
  INFINITY,
  identifier,
  MINUS_INFINITY,
  textLiteral,
  timestampLiteral,
  uuidLiteral,
} from './literal.ts'

/** The first and the last timestamp of PostgreSQL: 4714-11-24 BC, and the last microsecond of 294276. */
const FIRST = -211_813_488_000_000_000n
const LAST = 9_223_371_331_199_999_999n
const DAY = 86_400_000_000n

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
})
afterAll(() => samples.drop())

/** Returns the rows of a statement in the hostile session. */
async function rowsOf<Row extends object>(text: string): Promise<Row[]> {
  return await queryRows<Row>(samples.reader, { text, values: [] })
}

/** Returns the value of each literal in the hostile session, in microseconds since 2000. */
async function valuesOf(literals: readonly string[]): Promise<string[]> {
  const values = literals.map((literal, index) => `(${index}, ${literal})`).join(', ')
  const rows = await rowsOf<{ bytes: string }>(
    `select encode(timestamptz_send(x), 'hex') as bytes from (values ${values}) v(n, x) order by n`,
  )
  return rows.map(({ bytes }) => String(Buffer.from(bytes, 'hex').readBigInt64BE()))
}

describe('timestamp literals', () => {
  test('[PAG-4, R15] if the session has unusual date settings, PostgreSQL still reads a timestamp literal exactly to the microsecond', async () => {
    const anyTimestamp = fc.oneof(
      fc.bigInt({ min: FIRST, max: LAST }),
      fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n }),
      fc.bigInt({ min: -2_500_000n, max: 2_400_000n }).map((days) => (days < -2_451_544n ? FIRST : days * DAY)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyTimestamp, { minLength: 50, maxLength: 100 }), async (timestamps) => {
        expect(await valuesOf(timestamps.map(timestampLiteral))).toEqual(timestamps.map(String))
      }),
      { numRuns: 20 },
    )
  })

  test('[PAG-4] if a timestamp is at the limits of PostgreSQL, year 1, or year 9999, its literal is exact to the microsecond', async () => {
    const timestamps = [
      ...[FIRST, FIRST + 1n, LAST, LAST - 1n, 0n, -1n, 1n],
      // These are 0001-01-01, the microsecond before it, 9999-12-31T23:59:59.999999, and 10000-01-01.
      ...[-63_082_281_600_000_000n, -63_082_281_600_000_001n, 252_455_615_999_999_999n, 252_455_616_000_000_000n],
    ]
    expect(await valuesOf(timestamps.map(timestampLiteral))).toEqual(timestamps.map(String))
    expect(timestampLiteral(-63_082_281_600_000_001n)).toContain('0001-12-31 23:59:59.999999+00 BC')
  })

  test('[R17] if a timestamp is infinite, PostgreSQL reads its literal as infinity or -infinity', async () => {
    const [row] = await rowsOf(
      `select ${timestampLiteral(INFINITY)} = 'infinity' as late, ${timestampLiteral(MINUS_INFINITY)} = '-infinity' as early`,
    )
    expect(row).toEqual({ late: true, early: true })
  })

  test('for days from 4714 BC to the year 23903, civilDate returns the same date as JavaScript', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2_451_545, max: 8_000_000 }), (days) => {
        const date = new Date(Date.UTC(2000, 0, 1) + days * 86_400_000)
        expect(civilDate(days)).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
        })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('string literals', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom("'", '\\', '"', '$', 'n', 'x41', "\\'", '\n', ';', '--', '/*', 'é', '😀') }),
  )

  test('whether standard_conforming_strings is on or off, PostgreSQL reads a string literal unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 40 }), async (given) => {
        const texts = given.map((each) => each.replaceAll('\0', ''))
        const hex = texts.map((each) => Buffer.from(each).toString('hex'))
        const list = texts.map((each) => `encode(convert_to(${textLiteral(each)}, 'UTF8'), 'hex')`).join(', ')
        for (const setting of ['on', 'off']) {
          await rowsOf(`set standard_conforming_strings = ${setting}`)
          const [row] = await rowsOf<{ found: string[] }>(`select array_to_json(array[${list}]) as found`)
          expect(row?.found).toEqual(hex)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('if a name has quotes, PostgreSQL reads its quoted identifier unchanged', async () => {
    const [row] = await rowsOf(`select 1 as ${identifier('a"b; --')}`)
    expect(row).toEqual({ 'a"b; --': 1 })
  })
})

describe('UUID literals', () => {
  test('[R24] if a UUID is in lower case, PostgreSQL reads its literal unchanged', async () => {
    const id = '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f'
    const [row] = await rowsOf(`select ${uuidLiteral(id)}::text as id`)
    expect(row).toEqual({ id })
  })

  test.each([
    '',
    "' or true --",
    '{3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f}',
    '3F0D2C1A-8B5E-4C7D-9E6F-0A1B2C3D4E5F',
    '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f\n',
  ])('[R24] if the UUID is the invalid value %j, uuidLiteral throws a TypeError', (id) => {
    expect(() => uuidLiteral(id)).toThrow(TypeError)
  })
})
