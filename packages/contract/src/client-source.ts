// Generates the methods of the TypeScript client from the contract, one for each endpoint, so that no endpoint lacks a
// method.

import { type Contract, contractWith, rowShapeOf, typeName } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import { endpointNote, parameterNote } from './notes.ts'
import type { ParameterName } from './parameters.ts'
import type { Resource } from './resource.ts'

const HEAD = `// Generated from the contract. Do not edit: change the contract and run \`npm run generate\`.

import type { Caller, CallOptions } from '../caller.ts'
import type { ListOptions, PagedList, PagedListOptions } from '../paged-list.ts'
import type { TYPES } from './types.ts'
`

/**
 * Returns the source code of the client's `generated/endpoints.ts`, which imports `types.ts` and modules of the client.
 * `parts` replaces parts of the declared contract; only tests pass it.
 */
export function clientEndpoints(parts: Partial<Contract> = {}): string {
  const { endpoints } = contractWith(parts)
  const groups = Map.groupBy(endpoints, groupOf)
  const types = [...new Set(endpoints.map((endpoint) => typeName(rowShapeOf(endpoint)))), 'Uuid'].toSorted()
  const classes = [...groups].map(([name, members]) => groupClass(name, members))
  return `${[HEAD.replace('TYPES', types.join(', ')), ...classes, allGroups([...groups.keys()])].join('\n')}\n`
}

/** An endpoint's method in the client: `client[group][method]`. */
export interface ClientMethod {
  readonly group: string
  readonly method: string
}

/** Returns the method of an endpoint, such as `orders` and `list`. */
export function clientMethodOf(endpoint: Endpoint): ClientMethod {
  return { group: groupOf(endpoint), method: methodOf(endpoint) }
}

/** Returns the name of the method. For all rows of a parent, it is the end of the path: `addresses`. */
function methodOf({ path, response }: Endpoint): string {
  switch (response.kind) {
    case 'only':
    case 'one':
      return 'get'
    case 'page':
      return 'list'
    case 'ids':
      return 'ids'
    case 'allOf':
      return path.split('/').at(-1) ?? ''
  }
}

/** Returns the path segment after `/api/v1`, or after `ids` for a list of IDs, in camel case: `customerAddresses`. */
function groupOf({ path, response }: Endpoint): string {
  const [, , , first = '', second = ''] = path.split('/')
  return (response.kind === 'ids' ? second : first).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function groupClass(name: string, members: readonly Endpoint[]): string {
  const options = members.filter(({ response }) => response.kind === 'page').map(listOptions)
  return `${options.join('\n')}${comment('', `Methods of \`client.${name}\`.`)}
export class ${className(name)} {
  readonly #caller: Caller

  ${comment('', 'The client creates it. @internal')}
  constructor(caller: Caller) {
    this.#caller = caller
  }
${members.map((member) => `\n${method(member)}`).join('\n')}
}
`
}

function listOptions(endpoint: Endpoint): string {
  const { resource, parameters, id } = endpoint
  const filters = parameters.filter((name) => name !== 'limit' && name !== 'cursor')
  const fields = filters.map(
    (name) =>
      `${comment('  ', parameterNote(name, resource, 'in code'))}\n  readonly ${camel(name)}?: ${filterType(name, resource)}`,
  )
  const body = fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n}`
  const selected = fields.length === 0 ? 'The page size' : 'The filters and the page size'
  return `${comment('', `${selected} of \`client.${groupOf(endpoint)}.list\`.`)}\nexport interface ${optionsName(id)} extends ListOptions ${body}\n\n`
}

function filterType(name: ParameterName, resource: Resource): string {
  return name === 'status' ? `${typeName(resource)}['status']` : 'Date | string'
}

/**
 * Returns the source code of a method with its doc comment. `{ ...options }` is a copy, because TypeScript doesn't
 * accept an interface as an object with any member.
 */
function method(endpoint: Endpoint): string {
  const { response, path, id } = endpoint
  const name = methodOf(endpoint)
  const type = typeName(rowShapeOf(endpoint))
  const note = comment('  ', endpointNote(endpoint, 'in code'))
  const withId = `\`${path.replace('{id}', `\${encodeURIComponent(id)}`)}\``
  switch (response.kind) {
    case 'only':
      return `${note}\n  ${name}(options: CallOptions = {}): Promise<${type}> {\n    return this.#caller.object<${type}>('${path}', options)\n  }`
    case 'one':
      return `${note}\n  ${name}(id: Uuid, options: CallOptions = {}): Promise<${type}> {\n    return this.#caller.object<${type}>(${withId}, options)\n  }`
    case 'page':
      return `${note}\n  ${name}(options: ${optionsName(id)} = {}): PagedList<${type}> {\n    return this.#caller.list<${type}>('${path}', { ...options })\n  }`
    case 'ids':
      return `${note}\n  ${name}(options: PagedListOptions = {}): PagedList<${type}> {\n    return this.#caller.idList<${type}>('${path}', { ...options })\n  }`
    case 'allOf':
      return `${note}\n  ${name}(id: Uuid, options: CallOptions = {}): Promise<${type}[]> {\n    return this.#caller.rows<${type}>(${withId}, options)\n  }`
  }
}

function allGroups(names: readonly string[]): string {
  const members = names.map((name) => `  readonly ${name}: ${className(name)}`)
  const made = names.map((name) => `    this.${name} = new ${className(name)}(caller)`)
  return `${comment('', 'The methods of the client, by resource.')}
export class Endpoints {
${members.join('\n')}

  ${comment('', 'The client creates it. @internal')}
  constructor(caller: Caller) {
${made.join('\n')}
  }
}`
}

function className(group: string): string {
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}Endpoints`
}

function optionsName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Options`
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns a doc comment of one line. Escapes the end of a comment in `text`. */
function comment(indent: string, text: string): string {
  return `${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */`
}
