import { queryRows } from '@store-export/postgres'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'
import { civilDate, INFINITY, identifier, instantLiteral, MINUS_INFINITY, textLiteral, uuidLiteral } from './literal.ts'

/** 4714-11-24 BC, the first instant PostgreSQL has, and the last microsecond of 294276. */
const FIRST = -211_813_488_000_000_000n
const LAST = 9_223_371_331_199_999_999n
const DAY = 86_400_000_000n

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
})
afterAll(() => samples.drop())

/** The rows of a statement in the hostile session. */
async function rowsOf<Row extends object>(text: string): Promise<Row[]> {
  return await queryRows<Row>(samples.reader, { text, values: [] })
}

/** Microseconds since 2000, as PostgreSQL understands each literal in the hostile session. */
async function understood(literals: readonly string[]): Promise<string[]> {
  const values = literals.map((literal, index) => `(${index}, ${literal})`).join(', ')
  const rows = await rowsOf<{ bytes: string }>(
    `select encode(timestamptz_send(x), 'hex') as bytes from (values ${values}) v(n, x) order by n`,
  )
  return rows.map(({ bytes }) => String(Buffer.from(bytes, 'hex').readBigInt64BE()))
}

describe('instants', () => {
  test('[PAG-4, R15] every instant of PostgreSQL is read back to the microsecond, whatever the session is set to', async () => {
    const instant = fc.oneof(
      fc.bigInt({ min: FIRST, max: LAST }),
      fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n }),
      fc.bigInt({ min: -2_500_000n, max: 2_400_000n }).map((days) => (days < -2_451_544n ? FIRST : days * DAY)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(instant, { minLength: 50, maxLength: 100 }), async (instants) => {
        expect(await understood(instants.map(instantLiteral))).toEqual(instants.map(String))
      }),
      { numRuns: 20 },
    )
  })

  test('[PAG-4] the ends of the range, the ends of years and the day before Christ are exact', async () => {
    const instants = [
      ...[FIRST, FIRST + 1n, LAST, LAST - 1n, 0n, -1n, 1n],
      // 0001-01-01, the microsecond before it, 9999-12-31T23:59:59.999999, 10000-01-01
      ...[-63_082_281_600_000_000n, -63_082_281_600_000_001n, 252_455_615_999_999_999n, 252_455_616_000_000_000n],
    ]
    expect(await understood(instants.map(instantLiteral))).toEqual(instants.map(String))
    expect(instantLiteral(-63_082_281_600_000_001n)).toContain('0001-12-31 23:59:59.999999+00 BC')
  })

  test('[R17] infinities are infinities', async () => {
    const [row] = await rowsOf(
      `select ${instantLiteral(INFINITY)} = 'infinity' as late, ${instantLiteral(MINUS_INFINITY)} = '-infinity' as early`,
    )
    expect(row).toEqual({ late: true, early: true })
  })

  test('a calendar date is the one JavaScript knows', () => {
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

describe('texts', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom("'", '\\', '"', '$', 'n', 'x41', "\\'", '\n', ';', '--', '/*', 'é', '😀') }),
  )

  test('any text is read back as it is, with backslashes on or off in plain literals', async () => {
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

  test('a name is quoted, quotes in it too', async () => {
    const [row] = await rowsOf(`select 1 as ${identifier('a"b; --')}`)
    expect(row).toEqual({ 'a"b; --': 1 })
  })
})

describe('ids', () => {
  test('[R24] a canonical UUID becomes a literal', async () => {
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
  ])('[R24] anything else is refused: %j', (id) => {
    expect(() => uuidLiteral(id)).toThrow(TypeError)
  })
})
