// Translates an HTTP request into a plan: what to read from the store, in terms that do not depend on HTTP. The engine
// uses the names of parameters only in error messages.

import { type Endpoint, LIMITS, PARAMETERS, type Parameter, readResource } from '@store-export/contract'
import type { Filter, Plan } from '@store-export/engine'
import type { CursorContent } from './cursor.ts'
import type { ParameterValues } from './query-parameters.ts'
import { windowOf } from './window.ts'

/**
 * Returns the plan for a request whose parameters are valid. `id` is '' if the path has no ID. `cursor` is null on a
 * first page.
 */
export function planRequest(
  endpoint: Endpoint,
  id: string,
  values: ParameterValues,
  cursor: CursorContent | null,
): Plan {
  const { response, resource } = endpoint
  switch (response.kind) {
    case 'only':
      // The engine adds the counts.
      return { kind: 'only', resource, counts: new Map() }
    case 'one':
      return { kind: 'one', resource, id }
    case 'allOf':
      return { kind: 'allOf', resource, column: response.column, id }
    case 'page':
    case 'ids': {
      const window = windowOf(values, cursor)
      const limit = response.kind === 'ids' ? LIMITS.pageRowsOfIds : values.get('limit')
      return {
        kind: 'page',
        resource: readResource(endpoint),
        limit: typeof limit === 'number' ? limit : LIMITS.pageRowsDefault,
        after: cursor?.position ?? null,
        filters: filtersOf(values),
        ...(window === undefined ? {} : { window }),
      }
    }
  }
}

/** Returns the filters. Parameters that select no rows, such as `limit`, have none. */
function filtersOf(values: ParameterValues): Filter[] {
  return [...values].flatMap(([parameter, value]): Filter[] => {
    const { filter }: Parameter = PARAMETERS[parameter]
    if (filter === undefined) return []
    const { field, operator } = filter
    if (operator === '=') return typeof value === 'string' ? [{ parameter, field, operator, value }] : []
    return typeof value === 'bigint' ? [{ parameter, field, operator, value }] : []
  })
}
