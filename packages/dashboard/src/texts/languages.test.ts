import { ENDPOINTS, type Resource } from '@store-export/contract'
import { expect, test } from 'vitest'
import { LISTS } from '../data/lists.ts'
import { formatOf } from './format.ts'
import { LANGUAGES, type Language, localizationIn, localize } from './languages.ts'

test.each([
  ['de', 'de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de', 'de-AT'],
  ['DE-at', 'de', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en', 'en-US'],
  ['en-IE', 'en', 'en-IE'],
  ['en;q=0.5, de;q=0.9', 'de', 'de'],
  ['fr-CH, de;q=0.8, en;q=0.5', 'de', 'de'],
  ['fr, en;q=0.5', 'en', 'en-GB'],
  ['fr', 'en', 'en-GB'],
  ['de;q=0, en', 'en', 'en'],
  ['de-u-nu-arab', 'de', 'de'],
  ['en-u-nu-arab', 'en', 'en-GB'],
  ['', 'en', 'en'],
  [undefined, 'en', 'en'],
  ['*', 'en', 'en'],
  ['not a language', 'en', 'en-GB'],
  ['<script>', 'en', 'en-GB'],
  ['__proto__, constructor', 'en', 'en-GB'],
  ['x'.repeat(1000), 'en', 'en-GB'],
])('if Accept-Language is %j, pages use the language %s and the locale %s', (accepted, language, locale) => {
  expect(localize(null, accepted)).toMatchObject({ language, locale })
})

test.each([
  ['de', 'en-US,en;q=0.9', 'de'],
  ['de', 'de-CH', 'de-CH'],
  ['de', undefined, 'de'],
  ['en', 'de-AT', 'en-GB'],
  ['en', 'en-AU', 'en-AU'],
] as const)(
  "if the account's language is %s and Accept-Language is %j, pages use the locale %s",
  (chosen, accepted, locale) => {
    expect(localize(chosen, accepted)).toMatchObject({ language: chosen, locale })
  },
)

test.each([
  ['en', ['0 requests', '1 request', '2 requests', '1,000 requests']],
  ['de', ['0 Anfragen', '1 Anfrage', '2 Anfragen', '1.000 Anfragen']],
] as const)(
  'if the language is %s, the texts for 0, 1, 2, and 1,000 requests use its plural forms and thousands separator',
  (language, expected) => {
    const { requests } = localizationIn(language).texts.common
    expect([0, 1, 2, 1000].map(requests)).toEqual(expected)
  },
)

test('if a language has more plural forms than English, such as Polish, plural chooses the text for the form of each number', () => {
  const { plural } = formatOf('pl')
  const texts = { one: '# plik', few: '# pliki', many: '# plików', other: '# pliku' }
  expect([1, 3, 5, 1.5].map((value) => plural(value, texts))).toEqual(['1 plik', '3 pliki', '5 plików', '1,5 pliku'])
})

test('in German texts, a duration after "in" or "seit" is in the dative case, such as "in 3 Tagen"', () => {
  const { emails, keyHealth } = localizationIn('de').texts
  const days = { value: 3, unit: 'day' } as const
  expect(emails.ending.sentence('Lager', days)).toContain('läuft in 3 Tagen ab')
  expect(emails.ending.sentence('Lager', { value: 1, unit: 'day' })).toContain('läuft in 1 Tag ab')
  expect(String(keyHealth.silent(days, { value: 1, unit: 'hour' }))).toContain('Still seit 3 Tagen')
  expect(String(keyHealth.silent(days, { value: 15, unit: 'minute' }))).toContain('normalerweise alle 15 Minuten')
})

/** Returns the names and values of the contract that pages show, by the catalog's function that translates them. */
function contractTexts() {
  const resources = new Map<string, Resource>()
  const add = (resource: Resource) => {
    resources.set(resource.name, resource)
    for (const { type } of Object.values(resource.fields)) if (type.kind === 'many') add(type.resource)
  }
  for (const { resource } of ENDPOINTS) add(resource)
  const columns = LISTS.flatMap(({ columns: own, row }) =>
    [own, row.fields, row.amounts, ...row.embedded.map((table) => table.columns)].flat(),
  )
  const statuses = LISTS.flatMap(({ resource, columns }) =>
    columns.flatMap(({ fields: [name], kind }) => {
      const type = resource.fields[name]?.type
      return kind === 'status' && type?.kind === 'oneOf' ? type.values : []
    }),
  )
  return {
    name: LISTS.flatMap(({ resource, label }) => [resource.name, resource.plural, label]).concat(
      [...resources.values()].map(({ plural }) => plural),
    ),
    column: columns.map(({ label }) => label),
    searchedFields: LISTS.map(({ search }) => search.by),
    value: columns
      .flatMap(({ words = {}, absent }) => [...Object.values(words), ...(absent ? [absent] : [])])
      .concat(statuses),
  }
}

/** Texts that are the same in English and in the other language. */
const SAME: Readonly<Record<Language, readonly string[]>> = { en: [], de: ['Status', 'Name', 'Position', 'SKU'] }

test.each((Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en'))(
  'the catalog of the language %s translates all names and values from the API contract that pages show',
  (language) => {
    const { contract } = localizationIn(language).texts
    const english = localizationIn('en').texts.contract
    const missing = Object.entries(contractTexts()).flatMap(([kind, texts]) => {
      const translate = contract[kind as keyof typeof contract]
      return texts.filter((text) => translate(text) === english[kind as keyof typeof english](text))
    })
    expect(missing.filter((text) => !SAME[language].includes(text))).toEqual([])
  },
)
