import { decimal, money, resource, uuid } from '@store-export/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { INFINITE_NUMERICS, majorVersion } from '../../../../test/support/server-version.ts'
import { createSamples, type Samples } from '../../test/support/samples.ts'

const samplesOfNumbers = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'Numbers.',
  fields: {
    id: uuid('Id'),
    amount: money('Two decimals'),
    maybe: money('Two decimals').orNull(),
    exact: decimal('As stored').orNull(),
  },
})

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql`create table samples (id uuid primary key, amount numeric, maybe numeric, exact numeric)`
})
beforeEach(() => samples.sql`truncate samples`.then(() => undefined))
afterAll(() => samples.drop())

async function store(values: readonly (string | null)[]): Promise<void> {
  await samples.sql.unsafe(
    `insert into samples select ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid, v::numeric, v::numeric, v::numeric
     from jsonb_array_elements_text($1::text::jsonb) with ordinality e(v, n)`,
    [JSON.stringify(values)],
  )
}

async function expectSameAsPostgres(values: readonly string[]): Promise<void> {
  await samples.sql`delete from samples`
  await store(values)
  const { rows } = await samples.serve(samplesOfNumbers)
  const expected =
    await samples.sql`select round(amount, 2)::text as amount, round(amount, 2)::text as maybe, exact::text from samples order by id`
  expect(rows.map(({ amount, maybe, exact }) => ({ amount, maybe, exact }))).toEqual([...expected])
}

const DIFFICULT = [
  ...['0', '0.1', '-0.1', '0.005', '-0.005', '0.004999999999999999999', '1.005', '2.675', '-0.001', '0.0001'],
  ...['9007199254740993.01', '-9007199254740993.015', '99999999.995', '9999.995', '0.9999', '0.00009999'],
  ...['10000', '100000000', '1000000000000', '12345678', '1', '12', '123', '1234', '12345', '00012.3400'],
  ...['1e130', '-1e130', '1e-130', '123456789e-20', '1e-16383', `${'9'.repeat(400)}.${'9'.repeat(400)}`],
  ...['52.52000000', '13.40495000', '-0.00001', '0.00', '0.000000000', '1e4', '1e8', '10001.0001'],
]

describe('decimals as JSON', () => {
  test("[FMT-2, R20] for edge cases of rounding and length, the JSON has the digits of PostgreSQL's text output, with amounts rounded to two places", () =>
    expectSameAsPostgres(DIFFICULT))

  test("[FMT-2, R19] for random decimals, the JSON has the digits of PostgreSQL's text output, with amounts rounded to two places", async () => {
    const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'000012599'), maxLength: max })
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits(30), digits(20), fc.integer({ min: -30, max: 30 }))
      .map(([sign, whole, fraction, exponent]) => `${sign}0${whole}.${fraction}0e${exponent}`)
    await fc.assert(fc.asyncProperty(fc.array(number, { minLength: 200, maxLength: 300 }), expectSameAsPostgres), {
      numRuns: 8,
    })
  })

  test('[R17, R21] if a decimal is NaN, infinite, or null, the JSON has "0.00" in a required field, and null in a nullable field', async ({
    skip,
  }) => {
    skip((await majorVersion(samples.sql)) < 14, INFINITE_NUMERICS)
    await store(['NaN', 'Infinity', '-Infinity', null])
    const { rows, contractViolations } = await samples.serve(samplesOfNumbers)
    for (const row of rows) expect(row).toMatchObject({ amount: '0.00', maybe: null, exact: null })
    expect(contractViolations).toEqual({
      'samples.amount not a number': 3,
      'samples.amount missing': 4,
      'samples.maybe not a number': 3,
      'samples.exact not a number': 3,
    })
  })
})
