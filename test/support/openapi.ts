// Holds answers against the OpenAPI document: an answer that the document does not describe fails the test that got it.

import { openapi, SCHEMA_EXTENSIONS } from '@store-export/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

/** What of an answer the document speaks about. */
export interface DescribedAnswer {
  readonly method?: string
  /** With or without query. */
  readonly path: string
  readonly status: number
  readonly json: unknown
}

/** Throws where the document does not describe the answer: its status, or a body of this shape. */
export function validateResponse(answer: DescribedAnswer): void {
  const validate = validatorOf(schemaFor(answer))
  if (validate(answer.json)) return
  const problems = (validate.errors ?? [])
    .filter(({ instancePath }) => !INSIDE_STORED_JSON.test(instancePath))
    .map(({ instancePath, message }) => `${instancePath} ${message}`)
  if (problems.length === 0) return
  throw new Error(
    `${answer.status} ${answer.path} is not as the OpenAPI document says: ${problems.slice(0, 5).join('; ')}`,
  )
}

/** What lies inside stored JSON is served as it was stored (R32): there the document says only what it is meant to be. */
const INSIDE_STORED_JSON =
  /\/(shipping_address|billing_address|tax_breakdown|metafields|attributes|translations|opening_hours)\/./

/** Headers that the document names for the answer, in lower case. */
export function documentedHeaders(answer: Omit<DescribedAnswer, 'json'>): string[] {
  const response = responseFor(answer)
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

/** The same with references that a validator of schemas understands: the document itself is none. */
function relocated(schema: Node): Node {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${DEFINITIONS}#/$defs/`))
}

/** The schema of an answer; paths outside the document can only answer with an error. */
function schemaFor(answer: DescribedAnswer): Node {
  const response = responseFor(answer)
  if (response === null) return ERROR
  return member(member(member(response, 'content'), 'application/json'), 'schema')
}

function responseFor({ path, status }: Omit<DescribedAnswer, 'json'>): Node | null {
  const template = templateOf(path)
  if (template === null) return null
  const responses = member(member(member(member(DOCUMENT, 'paths'), template), 'get'), 'responses')
  const response = responses[String(status)]
  if (response === undefined) throw new Error(`the OpenAPI document has no status ${status} at ${template}`)
  const { $ref } = response as Node
  return typeof $ref === 'string' ? lookUp($ref) : (response as Node)
}

/** The path as the document has it, or null. */
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
