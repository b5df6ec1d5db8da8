// Generates the types and the methods of the TypeScript client of the admin API from its OpenAPI document.

import { adminOpenApi } from '@store-export/admin'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const HEAD = '// Generated from the routes of the admin API. Do not edit: change them and run `npm run generate`.\n'

/** Returns the module with the types and the methods of the client. */
export function adminClientSource(): string {
  // `Document` declares only the parts that this module reads. The round trip drops members that are undefined.
  const document = JSON.parse(JSON.stringify(adminOpenApi())) as Document
  const types = Object.entries(document.components.schemas).map(([name, schema]) => namedType(name, schema))
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) => batchMethodOf(path, operation) ?? methodOf(method.toUpperCase(), path, operation),
    ),
  )
  return `${HEAD}
import type { BatchRequest, CallOptions, PostOptions, RequestDescription } from '../request.ts'

${types.join('\n\n')}

/** The methods of the client: one for each route. */
export abstract class AdminMethods {
  /** Sends a request and returns the body of its response. */
  protected abstract send<T>(request: RequestDescription): Promise<T>

  /** Sends lines in batches, and yields the result of each in their order. */
  protected abstract sendLines<T extends { readonly line: number }>(request: BatchRequest): AsyncGenerator<T>

${methods.join('\n\n')}
}
`
}

function namedType(name: string, schema: Schema): string {
  return `${comment(schema.description, '')}export interface ${name} ${objectType(schema, '')}`
}

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const lines = Object.entries(properties).map(([name, member]) => {
    const optional = required.includes(name) ? '' : '?'
    const inner = `${indent}  `
    return `${comment(describedBy(member), inner)}${inner}readonly ${name}${optional}: ${typeOf(member, inner)}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** Returns the description of a member, which can be inside a nullable schema. */
function describedBy({ description, anyOf }: Schema): string | undefined {
  return description ?? anyOf?.find((each) => each.description !== undefined)?.description
}

/** Returns the TypeScript type of a schema; `unknown` if the schema says nothing about the type. */
function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.length === 0 ? 'unknown' : types.map((type) => plainType(type, schema, indent)).join(' | ')
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array': {
      const element = typeOf(schema.items ?? {}, indent)
      return `readonly ${element.includes(' | ') ? `(${element})` : element}[]`
    }
    case 'object':
      return schema.properties === undefined ? 'Readonly<Record<string, unknown>>' : objectType(schema, indent)
    default:
      return type
  }
}

/** Returns the method for a route with an NDJSON body; null for another route. */
function batchMethodOf(path: string, { operationId, summary, requestBody, responses }: Operation): string | null {
  const line = requestBody?.content['application/x-ndjson']?.schema.$ref
  const result = responses['200']?.content['application/x-ndjson']?.schema.$ref
  if (line === undefined || result === undefined) return null
  const text = `${summary}, with one request for each 1,000 stores. Yields a result for each store, in their order.`
  return `${comment(text, '  ')}  ${operationId}(stores: Iterable<${nameIn(line)}>, options: PostOptions = {}): AsyncGenerator<${nameIn(result)}> {
    return this.sendLines({ path: '${path}', lines: stores, options })
  }`
}

function methodOf(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  // JavaScript sorts the statuses, and the lowest one is that of a success.
  const [success = '200'] = Object.keys(responses)
  const result = nameIn(responses[success]?.content['application/json']?.schema.$ref ?? '')
  const body = requestBody?.content['application/json']?.schema.$ref
  const query = parameters.filter((each) => each.in === 'query')
  const queryType = query.map(({ name, schema }) => `readonly ${name}?: ${typeOf(schema, '')}`).join('; ')
  const parts = [
    ...parameters.filter((each) => each.in === 'path').map(({ name }) => `${name}: string`),
    ...(body === undefined ? [] : [`body: ${nameIn(body)}${requestBody?.required === false ? ' = {}' : ''}`]),
    ...(query.length === 0 ? [] : [`query: { ${queryType} } = {}`]),
    `options: ${method === 'POST' ? 'PostOptions' : 'CallOptions'} = {}`,
  ]
  const template = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${name})}`)
  const address = template === path ? `'${path}'` : `\`${template}\``
  const members = ['options', ...(body === undefined ? [] : ['body']), ...(query.length === 0 ? [] : ['query'])]
  return `${comment(`${summary}. ${description ?? ''}`.trim(), '  ')}  ${operationId}(${parts.join(', ')}): Promise<${result}> {
    return this.send({ method: '${method}', path: ${address}, ${members.join(', ')} })
  }`
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text} */\n`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
