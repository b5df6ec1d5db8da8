// Suggests the path that a client probably meant, for the message of a 404. The comparison ignores case, extra slashes,
// a prefix such as `/api`, `/v1`, or `/api/v2`, and singular or plural, and reads underscores as hyphens.

import { ENDPOINTS } from '@store-export/contract'
import { isUuid } from '@store-export/control'

const ID = '{id}'
const PATHS = ENDPOINTS.map(({ path }) => ({ path, segments: segmentsOf(path) }))

/** Returns the path of the contract that matches `path`, with its ID if that is a UUID; null if none matches. */
export function suggestPath(path: string): string | null {
  const segments = segmentsOf(path)
  const closest = PATHS.find((each) => isSame(each.segments, segments))
  if (closest === undefined) return null
  const id = segments[closest.segments.indexOf(ID)] ?? ''
  return isUuid(id) ? closest.path.replace(ID, id) : closest.path
}

/** Returns the normalized segments of a path without its prefix. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.map(comparable).filter((segment, index) => !(index < 2 && /^(api|v\d+)$/.test(segment)))
}

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
