// Suggests the path that a client probably meant, for the message of a 404. The comparison ignores case, extra slashes,
// a prefix such as `/api`, `/v1`, or `/api/v2`, and the difference between singular and plural. Underscores count as
// hyphens.

import { ENDPOINTS } from '@store-export/contract'
import { isUuid } from '@store-export/control'

const ID = '{id}'
const PATHS = ENDPOINTS.map(({ path }) => ({ path, segments: segmentsOf(path) }))

/**
 * Returns the path of the contract that matches `path`; null if none matches. The result has the ID of `path` if that
 * is a UUID, and `{id}` otherwise.
 */
export function suggestPath(path: string): string | null {
  const segments = segmentsOf(path)
  const closest = PATHS.find((each) => isSame(each.segments, segments))
  if (closest === undefined) return null
  const id = segments[closest.segments.indexOf(ID)] ?? ''
  return isUuid(id) ? closest.path.replace(ID, id) : closest.path
}

/** Returns the normalized segments of a path, without `api` and versions such as `v1` among the first two. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.map(comparable).filter((segment, index) => !(index < 2 && /^(api|v\d+)$/.test(segment)))
}

/**
 * Returns the segment in lower case, with hyphens, and in the singular: `Addresses` becomes `address`. Only the case of
 * a UUID changes.
 */
function comparable(segment: string): string {
  if (segment === ID) return ID
  return segment
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1')
}

function isSame(declared: readonly string[], requested: readonly string[]): boolean {
  return (
    declared.length === requested.length &&
    declared.every((segment, index) => segment === ID || segment === (requested[index] ?? ''))
  )
}
