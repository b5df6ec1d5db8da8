// Generates the module `resources.ts` of the n8n nodes: the resources, their paths, and the filters of their lists.

import {
  ENDPOINTS,
  type Endpoint,
  PARAMETERS,
  type ParameterName,
  RESOURCES,
  type Resource,
} from '@store-export/contract'
import type { StoreFilter, StoreResource } from '../../connectors/n8n/nodes/StoreExport/resource.ts'
import { GENERATED } from './connector-tables.ts'

/** Returns the TypeScript code of the module `resources.ts`. */
export function n8nResources(): string {
  return `// ${GENERATED}

import type { StoreResource } from '../nodes/StoreExport/resource.ts'

/** Every resource of the service. */
export const RESOURCES: readonly StoreResource[] = ${JSON.stringify(storeResources(), null, 2)}
`
}

/** Returns every resource with its paths and filters, as the nodes need them. */
export function storeResources(): StoreResource[] {
  return RESOURCES.map(storeResource)
}

function storeResource(resource: Resource): StoreResource {
  const endpoint = (kinds: readonly Endpoint['response']['kind'][]) =>
    ENDPOINTS.find((each) => each.resource === resource && kinds.includes(each.response.kind))
  const list = endpoint(['page'])
  return {
    value: resource.name.toLowerCase().replace(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    name: resource.name.replace(/(?<= )[a-z]/g, (letter) => letter.toUpperCase()),
    plural: resource.plural,
    listPath: list?.path ?? null,
    onePath: endpoint(['one', 'only'])?.path ?? null,
    idsPath: endpoint(['ids'])?.path ?? null,
    filters: (list?.parameters ?? []).flatMap((name) => filterOf(name, resource)),
  }
}

/** Returns a parameter of a list as a filter of the node; nothing for other parameters, such as the cursor. */
function filterOf(name: ParameterName, resource: Resource): StoreFilter[] {
  const parameter = PARAMETERS[name]
  if (!('filter' in parameter)) return []
  const schema = parameter.schema(resource)
  const choices = 'enum' in schema ? schema.enum : []
  // Only the end of a window has alternatives: a time, or the word "now".
  const kind = 'enum' in schema ? 'choice' : 'anyOf' in schema ? 'windowEnd' : 'time'
  // n8n shows one sentence without a full stop, and no Markdown.
  const note = parameter.note.replaceAll('`', '')
  const description = note.indexOf('. ') === -1 ? note.replace(/\.$/, '') : note
  return [{ name, description, kind, choices }]
}
