import { type Endpoint, LIMITS, PARAMETERS, type Parameter, readResource } from '@store-export/contract'
import type { Filter, Plan, Position } from '@store-export/engine'
import type { ParameterValues } from './query-parameters.ts'

/** Returns what the engine reads for a request. `id` is '' if the path has none; `after` is the position in the cursor. */
export function planRequest(endpoint: Endpoint, id: string, values: ParameterValues, after: Position | null): Plan {
  const { response, resource } = endpoint
  switch (response.kind) {
    case 'only':
      return { kind: 'only', resource, counts: new Map() }
    case 'one':
      return { kind: 'one', resource, id }
    case 'allOf':
      return { kind: 'allOf', resource, column: response.column, id }
    case 'page':
    case 'ids': {
      const limit = response.kind === 'ids' ? LIMITS.pageRowsOfIds : values.get('limit')
      return {
        kind: 'page',
        resource: readResource(endpoint),
        limit: typeof limit === 'number' ? limit : LIMITS.pageRowsDefault,
        after,
        filters: filtersOf(values),
      }
    }
  }
}

function filtersOf(values: ParameterValues): Filter[] {
  return [...values].flatMap(([parameter, value]): Filter[] => {
    const { filter }: Parameter = PARAMETERS[parameter]
    if (filter?.operator === '>=' && typeof value === 'bigint')
      return [{ parameter, field: filter.field, operator: '>=', value }]
    if (filter?.operator === '=' && typeof value === 'string')
      return [{ parameter, field: filter.field, operator: '=', value }]
    return []
  })
}
