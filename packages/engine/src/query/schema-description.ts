// Describes the schema of a store for clients: its version, and a digest of the columns that a resource is read from. A
// client that stores the digest notices new columns, which change no `updated_at`.

import { createHash } from 'node:crypto'
import { childrenOf, type Resource } from '@store-export/contract'
import { onceForSchema } from './once-for-schema.ts'
import type { PresentTables } from './present-columns.ts'
import { columnNames, schemaRevision } from './revision.ts'
import { presentColumnsOf } from './select-list.ts'

/** The schema of a store, as response headers describe it. */
export interface SchemaDescription {
  /**
   * ID of the newest schema version that added a column that exists. If columns of the version are missing, up to 10
   * names follow, and the number of the others: `v1.5; missing="orders.tax_breakdown …"; more=3`.
   */
  readonly version: string
  /**
   * Hash of the columns that the resource is read from. It changes when a column appears or disappears for the reader.
   * For a resource with personal fields, it differs between keys with and without personal data.
   */
  readonly fieldsDigest: string
}

/** Maximum number of columns in `version`. Proxies limit the size of headers. */
const MISSING_NAMES_MAX = 10
/**
 * Number of hexadecimal digits of a digest. A digest is compared only with the previous digest of the same store, so 64
 * bits are enough.
 */
const DIGEST_LENGTH = 16

/** Returns the description of a store's schema for a resource, which is created once for each set of columns. */
export const describeSchema = onceForSchema(
  (resource, present): SchemaDescription => ({
    version: versionOf(present),
    fieldsDigest: fieldsDigest(resource, present),
  }),
)

function versionOf(present: PresentTables): string {
  const { newestFound, missing } = schemaRevision(new Set(columnNames(present)))
  if (missing.length === 0) return newestFound
  const more = missing.length - MISSING_NAMES_MAX
  const names = missing.slice(0, MISSING_NAMES_MAX).join(' ')
  return `${newestFound}; missing="${names}"${more > 0 ? `; more=${more}` : ''}`
}

function fieldsDigest(resource: Resource, present: PresentTables): string {
  const names = [resource, ...childrenOf(resource)].flatMap((each) =>
    presentColumnsOf(each, present).map((column) => `${each.table}.${column}${reductionOf(each, column)}`),
  )
  // The names are sorted, so that another order of the fields in the contract gives the same digest.
  return createHash('sha256').update(names.toSorted().join('\n')).digest('hex').slice(0, DIGEST_LENGTH)
}

/**
 * Returns a suffix for a column that a key without personal data reads in reduced form. It changes the digest when a
 * client gets a key with other permissions, so that the client reads the list again.
 */
function reductionOf({ fields }: Resource, column: string): string {
  const reducedTo = fields[column]?.reducedTo
  return reducedTo === undefined ? '' : ` ${reducedTo}`
}
