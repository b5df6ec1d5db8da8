// Reads the page Settings > General: the store's row that the API returns, and the fields and lists that are newer than
// the schema of its database.

import { fieldSince, LATEST_REVISION, REVISIONS, type Resource, store as storeResource } from '@store-export/contract'
import { revisionOf, StoreDatabaseError, type StoreRevision } from '@store-export/engine'
import type { GeneralPage } from '../pages/models.ts'
import type { GeneralTexts } from '../texts/en/general.ts'
import { type DataStore, storeStatusProblem } from './data-page.ts'
import { type FormattedJson, formatJson, JSON_CHARACTERS_MAX } from './format-json.ts'
import { eachElement, endOfValue, membersOf, type Steps } from './json-bytes.ts'
import { LISTS } from './lists.ts'
import { type RowTexts, rowTexts, shortText } from './row-texts.ts'
import { countsOf, readColumns, readStoreRow } from './store-rows.ts'

/** Returns the data of the page. If the store can't be read or has no row, `problem` says why. */
export async function makeGeneralPage({ status, source, texts }: DataStore): Promise<GeneralPage> {
  if (source === null) return { snapshot: null, problem: storeStatusProblem({ status, texts }) }
  try {
    const [own, present] = await Promise.all([
      readStoreRow(source, (bytes) => source.timeSlicer.run(storeRow(bytes))),
      readColumns(source),
    ])
    if (own === null) return { snapshot: null, problem: texts.general.noRow }
    return { snapshot: snapshotOf(own, revisionOf(present), texts), problem: null }
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return { snapshot: null, problem: texts.data.problems.unreadable }
  }
}

interface StoreRow {
  readonly json: FormattedJson
  readonly texts: RowTexts
  readonly languages: readonly string[]
}

/** Reads the values of the store's row that the page shows. `enabled_locales` is an array, so it needs its own loop. */
function* storeRow(bytes: Uint8Array): Steps<StoreRow> {
  const { texts } = yield* rowTexts(bytes, 0, storeResource)
  const { members } = yield* membersOf(bytes, 0)
  const languages: string[] = []
  const span = members.get('enabled_locales')
  if (texts.get('enabled_locales') != null && span !== undefined) {
    yield* eachElement(bytes, span.start, function* (start, index) {
      const end = yield* endOfValue(bytes, start)
      if (index < LANGUAGES_MAX) languages.push(shortText(bytes, { start, end }) ?? '')
      return end
    })
  }
  return { json: formatJson(bytes, JSON_CHARACTERS_MAX), texts, languages }
}

/** Maximum number of languages that the page lists. The JSON has all of them. */
const LANGUAGES_MAX = 50

function snapshotOf(
  { json, texts, languages }: StoreRow,
  { revision, absentFields, absentResources }: StoreRevision,
  names: DataStore['texts'],
): GeneralPage['snapshot'] {
  const published = REVISIONS.find(({ id }) => id === revision)
  return {
    json,
    revision: published === undefined ? null : { ...published },
    latestRevision: LATEST_REVISION,
    nullFields: absentFields.flatMap(({ resource, field }) => nullField(resource, field)),
    counts: [...countsOf(texts)].map(([table, rows]) => ({ name: names.contract.name(labelOf(table)), rows })),
    facts: [...factsOf(texts, languages, names.general), ...emptyLists(absentResources, names)],
  }
}

/** Returns a field that is null because its column is missing; none if the contract has no such field. */
function nullField(resource: Resource, name: string): NonNullable<GeneralPage['snapshot']>['nullFields'][number][] {
  const field = resource.fields[name]
  if (field === undefined) return []
  return [{ resource: resource.name, field: name, since: fieldSince(resource, field), note: field.note }]
}

/** Returns the label of the table's list; the table's name if the Data pages don't show it. */
function labelOf(table: string): string {
  return LISTS.find(({ resource }) => resource.table === table)?.label ?? table
}

const FACTS: readonly { readonly name: keyof GeneralTexts['facts']; readonly field: string }[] = [
  { name: 'shopName', field: 'store_name' },
  { name: 'contact', field: 'store_email' },
  { name: 'currency', field: 'store_currency' },
  { name: 'country', field: 'store_country' },
  { name: 'weightUnit', field: 'weight_unit' },
]

/** Returns a fact for each field in `FACTS` that is not null, and one for the languages, if any. */
function factsOf(
  texts: RowTexts,
  languages: readonly string[],
  { facts: labels }: GeneralTexts,
): { label: string; text: string }[] {
  const facts = FACTS.flatMap(({ name, field }) => {
    const text = texts.get(field) ?? null
    return text === null ? [] : [{ label: labels[name], text }]
  })
  return languages.length === 0 ? facts : [...facts, { label: labels.languages, text: languages.join(', ') }]
}

/** Returns a fact with the lists for which this store has no table yet; none if it has all tables. */
function emptyLists(
  resources: readonly Resource[],
  { general, contract }: DataStore['texts'],
): { label: string; text: string }[] {
  if (resources.length === 0) return []
  return [
    {
      label: general.facts.missingLists,
      text: resources.map(({ plural, since }) => general.missingList(contract.name(plural), since)).join(', '),
    },
  ]
}
