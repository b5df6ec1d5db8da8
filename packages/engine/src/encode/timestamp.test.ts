import { resource, timestamp, uuid } from '@store-export/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'

const timestamps = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'Timestamps.',
  fields: { id: uuid('Id'), at: timestamp('Always'), maybe: timestamp('Or not').orNull() },
})

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql`create table samples (id uuid primary key, at timestamptz, maybe timestamptz)`
})
beforeEach(() => samples.sql`truncate samples`.then(() => undefined))
afterAll(() => samples.drop())

async function store(values: readonly (string | null)[]): Promise<void> {
  await samples.sql.unsafe(
    `insert into samples select ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid, v::timestamptz, v::timestamptz
     from jsonb_array_elements_text($1::text::jsonb) with ordinality e(v, n)`,
    [JSON.stringify(values)],
  )
}

/** The start of year 1 and the end of year 9999, in microseconds since 2000. */
const FIRST = -63_082_281_600_000_000n
const LAST = 252_455_615_999_999_999n

describe('timestamps as JSON', () => {
  test('[FMT-3, R18] if a timestamp is in the years 1 to 9999, the JSON has the timestamp in UTC, cut to milliseconds', async () => {
    const anyTimestamp = fc.oneof(
      fc.bigInt({ min: FIRST, max: LAST }),
      fc.bigInt({ min: 0n, max: 10_000_000n }),
      fc.constantFrom(FIRST, FIRST + 999n, LAST, LAST - 999n, 0n, -1n, -999n, -1000n, -1001n, 999n, 1000n),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyTimestamp, { minLength: 200, maxLength: 300 }), async (given) => {
        await samples.sql`delete from samples`
        await samples.sql.unsafe(
          `insert into samples select ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid,
             timestamptz '2000-01-01Z' + make_interval(days => (v::int8 / 86400000000)::int) + (v::int8 % 86400000000) * interval '1 microsecond'
           from jsonb_array_elements_text($1::text::jsonb) with ordinality e(v, n)`,
          [JSON.stringify(given.map(String))],
        )
        const { rows } = await samples.serve(timestamps)
        const expected = await samples.sql`
          select to_char(date_trunc('milliseconds', at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
          from samples order by id`
        expect(rows.map(({ at }) => ({ at }))).toEqual([...expected])
      }),
      { numRuns: 10 },
    )
  })

  test('[R18] if a timestamp has microseconds, the JSON has the timestamp cut and not rounded to milliseconds, even before 1970', async () => {
    await store(['2026-07-08T12:00:00.999999Z', '1999-12-31T23:59:59.999999Z', '1965-02-03T04:05:06.0009Z'])
    const { rows } = await samples.serve(timestamps)
    expect(rows.map(({ at }) => at)).toEqual([
      '2026-07-08T12:00:00.999Z',
      '1999-12-31T23:59:59.999Z',
      '1965-02-03T04:05:06.000Z',
    ])
  })

  test('[R17] if a timestamp is outside the years 1 to 9999, a required field has the nearest valid timestamp, and a nullable field has null', async () => {
    const early = ['-infinity', '0001-12-31 23:59:59.999999+00 BC', '4714-11-24 00:00:00+00 BC']
    const late = ['infinity', '10000-01-01 00:00:00+00', '294276-12-31 23:59:59.999999+00']
    await store([...early, ...late, null])
    const { rows, contractViolations } = await samples.serve(timestamps)
    expect(rows.map(({ at }) => at)).toEqual([
      ...early.map(() => '0001-01-01T00:00:00.000Z'),
      ...late.map(() => '9999-12-31T23:59:59.999Z'),
      '0001-01-01T00:00:00.000Z',
    ])
    expect(rows.map(({ maybe }) => maybe)).toEqual(rows.map(() => null))
    expect(contractViolations).toEqual({
      'samples.at out of range': 6,
      'samples.maybe out of range': 6,
      'samples.at missing': 1,
    })
  })

  test('if a timestamp is the earliest of year 1 or the latest of year 9999, it is returned without a contract violation', async () => {
    await store(['0001-01-01 00:00:00+00', '9999-12-31 23:59:59.999999+00'])
    const { rows, contractViolations } = await samples.serve(timestamps)
    expect(rows.map(({ maybe }) => maybe)).toEqual(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
    expect(contractViolations).toEqual({})
  })
})
