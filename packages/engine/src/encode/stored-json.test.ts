import { json, resource, uuid } from '@store-export/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'

const KEYS = ['firstName', 'line1', 'phone']
const documents = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'JSON.',
  fields: {
    id: uuid('Id'),
    map: json({ outer: 'object', valuesOf: 'any' }, 'An object'),
    list: json({ outer: 'array', entries: 'any' }, 'An array'),
    maybe: json({ outer: 'array', entries: 'any' }, 'An array or not').orNull(),
    address: json({ outer: 'object', keys: KEYS }, 'Three keys').orNull(),
  },
})

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql`create table samples (id uuid primary key, map jsonb, list jsonb, maybe jsonb, address jsonb)`
})
beforeEach(() => samples.sql`truncate samples`.then(() => undefined))
afterAll(() => samples.drop())

/** Stores one row for each JSON text, which is the value of every column. */
async function store(values: readonly string[]): Promise<void> {
  await samples.sql.unsafe(
    `insert into samples select ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid, v::jsonb, v::jsonb, v::jsonb, v::jsonb
     from jsonb_array_elements_text($1::text::jsonb) with ordinality e(v, n)`,
    [JSON.stringify(values)],
  )
}

/** JSON that PostgreSQL accepts: no NUL, and no unpaired surrogates. */
const value = fc
  .jsonValue({ maxDepth: 4 })
  .map((each) => JSON.stringify(each))
  .filter((each) => !each.includes('\\u0000') && !/\\ud[89a-f]/i.test(each))
const key = fc.oneof(
  fc.constantFrom(...KEYS, 'firstname', 'FirstName', 'line', 'line11', 'phone"', '\\"phone', '__proto__', 'a":{"phone'),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'é', 'phone') }),
)
const address = fc
  .array(fc.tuple(key, value), { maxLength: 12 })
  .map((members) => `{${members.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(', ')}}`)

describe('stored JSON of the declared type', () => {
  test('[R32] if a JSON column stores a random object, the response contains exactly the text that PostgreSQL returns for the object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 20, maxLength: 60 }), async (values) => {
        await samples.sql`delete from samples`
        await store(values)
        const { text } = await samples.serve(documents)
        const stored = await samples.sql`select map::text as map from samples order by id`
        for (const { map } of stored) expect(text).toContain(`"map":${map}`)
      }),
      { numRuns: 10 },
    )
  })

  test('[R32] if the contract declares the keys of a JSON field, the JSON has exactly these keys, with null for absent keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 50, maxLength: 100 }), async (values) => {
        await samples.sql`delete from samples`
        await store(values)
        const { rows } = await samples.serve(documents)
        const own = await samples.sql.unsafe(
          `select json_build_object(${KEYS.map((name) => `'${name}', address -> '${name}'`).join(', ')})::text as expected from samples order by id`,
        )
        expect(rows.map((row) => row.address)).toEqual(own.map(({ expected }) => JSON.parse(expected)))
        for (const row of rows) expect(Object.keys(row.address)).toEqual(KEYS)
      }),
      { numRuns: 20 },
    )
  })

  test('[R32] if stored JSON has long numbers, a key __proto__, or 500 nested levels, the response returns the JSON unchanged', async () => {
    const long = '{"n": 12345678901234567890, "m": 0.10000000000000000055, "__proto__": {"a": 1}}'
    const deep = `{"d": ${'['.repeat(500)}${']'.repeat(500)}}`
    await store([long, deep])
    const { text } = await samples.serve(documents)
    expect(text).toContain('12345678901234567890')
    expect(text).toContain('0.10000000000000000055')
    expect(text).toContain('"__proto__": {"a": 1}')
    expect(text).toContain(deep)
  })
})

describe('stored JSON of another type', () => {
  test.each(['1', '"text"', 'true', 'null', '-0.5'])(
    '[R32] if %s is stored in an object or array field, a required field returns {} or [], and a nullable field returns null',
    async (stored) => {
      await store([stored])
      const { rows, contractViolations } = await samples.serve(documents)
      expect(rows[0]).toMatchObject({ map: {}, list: [], maybe: null, address: null })
      expect(contractViolations).toMatchObject({
        'samples.map of the wrong shape': 1,
        'samples.address of the wrong shape': 1,
      })
    },
  )

  test('[R32] if an array field stores an object, or an object field an array, required fields return [] or {}, and nullable fields return null', async () => {
    await store(['{"a": 1}', '[1]'])
    const { rows, contractViolations } = await samples.serve(documents)
    expect(rows[0]).toMatchObject({ map: { a: 1 }, list: [], maybe: null })
    expect(rows[1]).toMatchObject({ map: {}, list: [1], maybe: [1], address: null })
    expect(contractViolations['samples.list of the wrong shape']).toBe(1)
    expect(contractViolations['samples.map of the wrong shape']).toBe(1)
  })

  test('[R21] if a JSON column is null, a required field returns {} or [], and a nullable field returns null', async () => {
    await samples.sql`insert into samples (id) values ('00000000-0000-0000-0000-000000000001')`
    const { rows, contractViolations } = await samples.serve(documents)
    expect(rows[0]).toMatchObject({ map: {}, list: [], maybe: null, address: null })
    expect(contractViolations).toEqual({ 'samples.map missing': 1, 'samples.list missing': 1 })
  })
})
