// Settings > General, as data for its view: the store as the API tells of it, and how it stands to the contract.

import { fieldNote, fieldSince, LATEST_REVISION, REVISIONS, type Resource } from '@store-export/contract'
import { revisionOf, StoreDatabaseFault, type StoreRevision } from '@store-export/engine'
import type { GeneralPage } from '../pages/models.ts'
import type { DataStore } from './data-page.ts'
import { cellText, type ExactRow, elementsOf, parseRow } from './exact-json.ts'
import { formatJson } from './json-text.ts'
import { LISTS } from './lists.ts'
import { standingProblem, UNREADABLE } from './sentences.ts'
import { readColumns, readStoreRow } from './store-rows.ts'

/** The page, also of a store that is not served or cannot be read: it then says why. */
export async function makeGeneralPage({ standing, source }: DataStore): Promise<GeneralPage> {
  if (source === null) return { snapshot: null, problem: standingProblem(standing) }
  try {
    const [text, present] = await Promise.all([readStoreRow(source), readColumns(source)])
    if (text === null) return { snapshot: null, problem: NO_ROW }
    return { snapshot: snapshotOf(text, revisionOf(present)), problem: null }
  } catch (error) {
    if (!(error instanceof StoreDatabaseFault)) throw error
    return { snapshot: null, problem: UNREADABLE }
  }
}

const NO_ROW = "The store's database has no row about the store yet. Ask whoever runs the platform."

function snapshotOf(text: string, { revision, absentFields, absentResources }: StoreRevision): GeneralPage['snapshot'] {
  const row = parseRow(text)
  const published = REVISIONS.find(({ id }) => id === revision)
  return {
    json: formatJson(text),
    revision: published === undefined ? null : { ...published },
    latestRevision: LATEST_REVISION,
    nullFields: absentFields.flatMap(({ resource, field }) => nullField(resource, field)),
    counts: countsOf(row),
    facts: [...factsOf(row), ...emptyLists(absentResources)],
  }
}

function nullField(resource: Resource, name: string): NonNullable<GeneralPage['snapshot']>['nullFields'][number][] {
  const field = resource.fields[name]
  if (field === undefined) return []
  return [{ resource: resource.name, field: name, since: fieldSince(resource, field), note: fieldNote(field) }]
}

function countsOf(row: ExactRow): { name: string; rows: number }[] {
  const counts = (row.counts ?? {}) as ExactRow
  const labelOf = (table: string) => LISTS.find(({ resource }) => resource.table === table)?.label ?? table
  return Object.entries(counts).map(([table, rows]) => ({ name: labelOf(table), rows: Number(cellText(rows)) }))
}

const FACTS: readonly { readonly label: string; readonly field: string }[] = [
  { label: 'Shop name', field: 'store_name' },
  { label: 'Contact', field: 'store_email' },
  { label: 'Currency', field: 'store_currency' },
  { label: 'Country', field: 'store_country' },
  { label: 'Weights shown in', field: 'weight_unit' },
]

/** What the store says of itself; what it does not say is left out. */
function factsOf(row: ExactRow): { label: string; text: string }[] {
  const said = FACTS.flatMap(({ label, field }) => {
    const text = cellText(row[field])
    return text === null ? [] : [{ label, text }]
  })
  const languages = elementsOf(row.enabled_locales).map((each) => cellText(each) ?? '')
  return languages.length === 0 ? said : [...said, { label: 'Languages', text: languages.join(', ') }]
}

/** The lists of which an older store has no table, so that nobody waits for their rows. */
function emptyLists(resources: readonly Resource[]): { label: string; text: string }[] {
  if (resources.length === 0) return []
  return [
    {
      label: 'Empty on this store',
      text: resources.map(({ plural, since }) => `${plural} (since ${since})`).join(', '),
    },
  ]
}
