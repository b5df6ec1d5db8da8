// Reads what the page of a row shows before the JSON: short strings of the fields, and of the first embedded rows.

import type { FieldType } from '@store-export/contract'
import { eachElement, isNull, membersOf, type Span, type Steps } from './json-bytes.ts'
import type { ListDeclaration } from './lists.ts'
import { type RowTexts, rowTexts, shortText } from './row-texts.ts'

/** Short strings of a row. */
export interface RowParts {
  readonly texts: RowTexts
  /** The first embedded rows, by the name of their field. */
  readonly embedded: ReadonlyMap<string, readonly RowTexts[]>
}

/** Maximum number of embedded rows that a page shows. The JSON has all of them. */
const EMBEDDED_ROWS_MAX = 100

/** Returns the strings of the row, and of its first 100 embedded rows per field. An address is a single line. */
export function* rowParts(bytes: Uint8Array, { resource, row }: ListDeclaration): Steps<RowParts> {
  const { texts } = yield* rowTexts(bytes, 0, resource)
  const { members } = yield* membersOf(bytes, 0)
  const addresses = new Map<string, string | null>()
  for (const { fields } of row.fields) {
    const span = members.get(fields[0])
    if (isAddress(resource.fields[fields[0]]?.type) && !isNull(bytes, span))
      addresses.set(fields[0], yield* addressText(bytes, span))
  }
  const embedded = new Map<string, RowTexts[]>()
  for (const { field, resource: of } of row.embedded) {
    const rows: RowTexts[] = []
    yield* eachElement(bytes, members.get(field)?.start ?? bytes.length, function* (start) {
      const { texts: own, end } = yield* rowTexts(bytes, start, of)
      if (rows.length < EMBEDDED_ROWS_MAX) rows.push(own)
      return end
    })
    embedded.set(field, rows)
  }
  return { texts: new Map([...texts, ...addresses]), embedded }
}

/** The parts of an address that belong together, in the order of a line. */
const ADDRESS_PARTS = [
  ['firstName', 'lastName'],
  ['line1'],
  ['line2'],
  ['postalCode', 'city'],
  ['state'],
  ['country'],
  ['phone'],
]

/** Whether a field is JSON with the members of an address. */
function isAddress(type: FieldType | undefined): boolean {
  return type?.kind === 'json' && 'keys' in type.shape && type.shape.keys.includes('postalCode')
}

/** Returns the parts of an address in one line; null if all are empty. */
function* addressText(bytes: Uint8Array, span: Span): Steps<string | null> {
  const { members } = yield* membersOf(bytes, span.start)
  const parts = ADDRESS_PARTS.map((keys) => keys.flatMap((key) => shortText(bytes, members.get(key)) || []).join(' '))
  const text = parts.filter((part) => part !== '').join(', ')
  return text === '' ? null : text
}
