// Checks responses against the OpenAPI document. A response that the document doesn't describe fails its test.

import { openapi, SCHEMA_EXTENSIONS } from '@store-export/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

/** The parts of a response that the document describes. */
export interface DescribedResponse {
  readonly method?: string
  /** Path with or without a query. */
  readonly path: string
  readonly status: number
  readonly json: unknown
}

/** Throws if the document doesn't describe the status or the body of a response. */
export function validateResponse(response: DescribedResponse): void {
  const validate = validatorOf(schemaFor(response))
  if (validate(response.json)) return
  const problems = (validate.errors ?? [])
    .filter(({ instancePath }) => !INSIDE_STORED_JSON.test(instancePath))
    .map(({ instancePath, message }) => `${instancePath} ${message}`)
  if (problems.length === 0) return
  throw new Error(
    `${response.status} ${response.path} differs from the OpenAPI document: ${problems.slice(0, 5).join('; ')}`,
  )
}

/**
 * Members inside stored JSON are returned as stored (reading R32). The document describes only their intended content.
 */
const INSIDE_STORED_JSON =
  /\/(shipping_address|billing_address|tax_breakdown|metafields|attributes|translations|opening_hours)\/./

/** Returns the names of a response's headers in the document, in lower case. */
export function documentedHeaders(actual: Omit<DescribedResponse, 'json'>): string[] {
  const response = responseFor(actual)
  return response === null ? [] : Object.keys(member(response, 'headers')).map((name) => name.toLowerCase())
}

const DOCUMENT = openapi()
const ERROR: Node = { $ref: '#/components/schemas/ErrorResponse' }
const DEFINITIONS = 'definitions.json'

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, keywords: [...SCHEMA_EXTENSIONS] })
ajvFormats.default(ajv)
ajv.addSchema({ $id: DEFINITIONS, $defs: relocated(member(member(DOCUMENT, 'components'), 'schemas')) })

const validators = new Map<string, ValidateFunction>()

function validatorOf(schema: Node): ValidateFunction {
  const key = JSON.stringify(schema)
  const known = validators.get(key) ?? ajv.compile(relocated(schema))
  validators.set(key, known)
  return known
}

/** Returns the schema with references to DEFINITIONS, because the validator knows schemas, but not the document. */
function relocated(schema: Node): Node {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${DEFINITIONS}#/$defs/`))
}

/** Returns the schema of a response. A path that isn't in the document can only return an error. */
function schemaFor(actual: DescribedResponse): Node {
  const response = responseFor(actual)
  if (response === null) return ERROR
  return member(member(member(response, 'content'), 'application/json'), 'schema')
}

function responseFor({ path, status }: Omit<DescribedResponse, 'json'>): Node | null {
  const template = templateOf(path)
  if (template === null) return null
  const responses = member(member(member(member(DOCUMENT, 'paths'), template), 'get'), 'responses')
  const response = responses[String(status)]
  if (response === undefined) throw new Error(`the OpenAPI document has no status ${status} at ${template}`)
  const { $ref } = response as Node
  return typeof $ref === 'string' ? lookUp($ref) : (response as Node)
}

/** Returns the document's template of a path; null if there is none. */
function templateOf(path: string): string | null {
  const [bare = ''] = path.split('?', 1)
  const given = bare.split('/')
  const fits = (template: string) => {
    const segments = template.split('/')
    const same = (segment: string, index: number) =>
      segment === given[index] || (segment === '{id}' && given[index] !== '')
    return segments.length === given.length && segments.every(same)
  }
  return Object.keys(member(DOCUMENT, 'paths')).find(fits) ?? null
}

type Node = Readonly<Record<string, unknown>>

function lookUp(reference: string): Node {
  return reference
    .slice(2)
    .split('/')
    .reduce<Node>((node, segment) => member(node, segment), DOCUMENT)
}

function member(node: Node, name: string): Node {
  const found = node[name]
  if (typeof found !== 'object' || found === null) throw new Error(`the OpenAPI document has no ${name}`)
  return found as Node
}
