import { boolean, integer, oneOf, resource, text, texts, uuid } from '@store-export/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'

const mixed = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'Of every kind.',
  fields: {
    id: uuid('ID'),
    ref: uuid('A reference'),
    word: text('A text'),
    words: texts('Texts'),
    several: texts('Texts or not').orNull(),
    count: integer('A number'),
    flag: boolean('A flag'),
    state: oneOf(['on', 'off'], 'A state'),
    brand: oneOf(['own', 'ours'], 'A brand', 'other').orNull(),
  },
})

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql`create table samples (id uuid primary key, ref uuid, word text, words text[], several text[], count integer, flag boolean, state text, brand text)`
})
beforeEach(() => samples.sql`truncate samples`.then(() => undefined))
afterAll(() => samples.drop())

const ID = '00000000-0000-0000-0000-000000000001'

describe('strings as JSON', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('"', '\\', '\u0001', '\u001f', '\u007f', '\u2028', '\u2029', '😀', '\n', '{', ',', 'NULL'),
    }),
  )

  test("the JSON of random strings and string arrays has the same values as PostgreSQL's to_json", async () => {
    const list = fc.array(
      nasty.map((each) => each.replaceAll('\0', '')),
      { minLength: 5, maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(list, async (words) => {
        await samples.sql`delete from samples`
        await samples.sql`insert into samples (id, word, words) values (${ID}, ${words[0] ?? ''}, ${words})`
        const { rows } = await samples.serve(mixed)
        const [own] = await samples.sql`select to_json(word)::text as word, to_json(words)::text as words from samples`
        expect(rows[0].word).toBe(words[0])
        expect(rows[0].words).toEqual(words)
        expect([rows[0].word, rows[0].words]).toEqual([JSON.parse(own?.word), JSON.parse(own?.words)])
      }),
      { numRuns: 40 },
    )
  })

  test('if a string has control and non-ASCII characters, the JSON escapes the control characters and leaves the non-ASCII characters unchanged', async () => {
    const all = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).slice(1)
    await samples.sql`insert into samples (id, word) values (${ID}, ${`${all.join('')}é\u2028😀`})`
    const { text: body } = await samples.serve(mixed)
    expect(body).toContain('\\u0001\\u0002')
    expect(body).toContain('é\u2028😀')
    for (let code = 0; code < 0x20; code++) expect(body).not.toContain(String.fromCharCode(code))
  })

  test('[R22] if a string array contains null or nested arrays, the JSON is one flat array without null', async () => {
    await samples.sql.unsafe(
      `insert into samples (id, words, several) values ('${ID}', array[null, 'a', null, 'b', null], '{{a,b},{c,null}}')`,
    )
    const { rows } = await samples.serve(mixed)
    expect(rows[0]).toMatchObject({ words: ['a', 'b'], several: ['a', 'b', 'c'] })
  })

  test('[R22] if a string array is empty, has only nulls, or has a lower bound other than 1, the JSON is still an array', async () => {
    await samples.sql.unsafe(`insert into samples (id, words, several) values ('${ID}', '[5:6]={x,y}', '{NULL,NULL}')`)
    await samples.sql.unsafe(`insert into samples (id, words) values ('00000000-0000-0000-0000-000000000002', '{}')`)
    const { rows } = await samples.serve(mixed)
    expect(rows.map(({ words, several }) => ({ words, several }))).toEqual([
      { words: ['x', 'y'], several: [] },
      { words: [], several: null },
    ])
  })
})

describe('null in required fields', () => {
  test('[R21] if a required column is null, the JSON has "", 0, false, [], or the zero UUID, and a contract violation is counted', async () => {
    await samples.sql`insert into samples (id) values (${ID})`
    const { rows, contractViolations } = await samples.serve(mixed)
    expect(rows).toEqual([
      {
        id: ID,
        ref: '00000000-0000-0000-0000-000000000000',
        word: '',
        words: [],
        several: null,
        count: 0,
        flag: false,
        state: '',
        brand: null,
      },
    ])
    const missing = ['ref', 'word', 'words', 'count', 'flag', 'state']
    expect(contractViolations).toEqual(Object.fromEntries(missing.map((name) => [`samples.${name} missing`, 1])))
  })
})

describe('values of enums', () => {
  test("[R33, R34] if the contract does not declare a stored enum value, the JSON has the field's fallback value or, without one, the stored value", async () => {
    await samples.sql`insert into samples (id, ref, word, words, count, flag, state, brand)
      values (${ID}, ${ID}, '', '{}', -2147483648, true, 'On "hold"', 'Own')`
    const { rows, contractViolations } = await samples.serve(mixed)
    expect(rows[0]).toMatchObject({ count: -2_147_483_648, flag: true, state: 'On "hold"', brand: 'other' })
    expect(contractViolations).toEqual({ 'samples.state outside the list': 1 })
  })

  test('if the contract declares an enum value, the JSON has this value, and no contract violation is counted', async () => {
    await samples.sql`insert into samples (id, ref, word, words, count, flag, state, brand)
      values (${ID}, ${ID}, '', '{}', 2147483647, false, 'off', 'own')`
    const { rows, contractViolations } = await samples.serve(mixed)
    expect(rows[0]).toMatchObject({ count: 2_147_483_647, flag: false, state: 'off', brand: 'own' })
    expect(contractViolations).toEqual({})
  })
})
