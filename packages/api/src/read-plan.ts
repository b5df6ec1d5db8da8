// An endpoint with the values of a request becomes a plan: what is to be read, as data.

import { type Endpoint, LIMITS, PARAMETERS, type Parameter } from '@store-export/contract'
import type { Filter, Plan } from '@store-export/engine'
import { type CursorScope, openCursor } from './cursor.ts'
import type { Params } from './params.ts'

/** The plan of a request. Throws `INVALID_CURSOR`. */
export function planOf(
  endpoint: Endpoint,
  id: string,
  { values, scope }: { values: Params; scope: CursorScope },
): Plan {
  const { answer, resource } = endpoint
  switch (answer.kind) {
    case 'only':
      return { kind: 'only', resource, counts: new Map() }
    case 'one':
      return { kind: 'one', resource, id }
    case 'allOf':
      return { kind: 'allOf', resource, column: answer.column, id }
    case 'page': {
      const cursor = values.get('cursor')
      const limit = values.get('limit')
      return {
        kind: 'page',
        resource,
        limit: typeof limit === 'number' ? limit : LIMITS.pageRowsDefault,
        after: typeof cursor === 'string' ? openCursor(cursor, scope) : null,
        filters: filtersOf(values),
      }
    }
  }
}

function filtersOf(values: Params): Filter[] {
  return [...values].flatMap(([parameter, value]): Filter[] => {
    const { filter }: Parameter = PARAMETERS[parameter]
    if (filter?.operator === '>=' && typeof value === 'bigint')
      return [{ parameter, field: filter.field, operator: '>=', value }]
    if (filter?.operator === '=' && typeof value === 'string')
      return [{ parameter, field: filter.field, operator: '=', value }]
    return []
  })
}
