// Creates the OpenAPI responses of an operation. The messages of `INVALID_PARAM` examples come from the functions that
// create the service's messages, so they can't become outdated. Examples of other codes use the condition of the error
// as the message, except for status 405. Responses that are the same for every endpoint are shared components.

import { type Contract, errorsOf, isPaginated, returnsList, rowShapeOf } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import { ApiError, ERRORS } from './errors.ts'
import { exampleListOf, exampleOf } from './example.ts'
import { RESPONSE_HEADERS } from './headers.ts'
import { enumMemberName, listName, type OpenApiObject, responseName, schemaRef } from './openapi-schema.ts'
import { ID_RULE, invalidParameter, PARAMETERS, type ParameterName, repeatedParameter } from './parameters.ts'

const COMMON_HEADERS = ['x-request-id', 'traceparent', 'content-length', 'link'] as const
const AUTHENTICATED_HEADERS = [...COMMON_HEADERS, 'ratelimit-policy', 'ratelimit', 'ratelimit-remaining'] as const
const STORE_HEADERS = [...AUTHENTICATED_HEADERS, 'x-store-schema', 'x-store-fields'] as const
const OBJECT_HEADERS = [...STORE_HEADERS, 'x-ignored-params'] as const
const LIST_HEADERS = [...OBJECT_HEADERS, 'x-sync-watermark'] as const
const UPDATED_LIST_HEADERS = [...LIST_HEADERS, 'x-sync-parameter'] as const
/**
 * Headers of error responses by status. Other statuses have `AUTHENTICATED_HEADERS`. A 404 for a missing row follows a
 * read of the store.
 */
const ERROR_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: [...COMMON_HEADERS, 'www-authenticate'],
  404: [...STORE_HEADERS, 'x-required-scope'],
  405: [...AUTHENTICATED_HEADERS, 'allow'],
  409: [...AUTHENTICATED_HEADERS, 'retry-after'],
  429: [...AUTHENTICATED_HEADERS, 'retry-after'],
  502: [...AUTHENTICATED_HEADERS, 'retry-after'],
}
const METHOD_STATUS = 405
const METHOD_RESPONSE = 'MethodNotAllowedResponse'

/** Returns every documented header as a component. */
export function headersOf(): OpenApiObject {
  const headers = Object.entries(RESPONSE_HEADERS)
  return Object.fromEntries(
    headers.map(([name, { note, schema, example }]) => [name, { description: note, schema, example }]),
  )
}

/** Returns the error responses that are the same for every endpoint. */
export function sharedResponses(contract: Contract): OpenApiObject {
  const shared = Object.entries(contract.errors).filter(([code, { status }]) => isShared(code, status, contract))
  return {
    ...Object.fromEntries(
      shared.map(([code, { status, condition }]) => [
        sharedName(code),
        errorResponse(status, [{ code, message: condition }], contract),
      ]),
    ),
    [METHOD_RESPONSE]: errorResponse(METHOD_STATUS, [{ code: 'NOT_FOUND', message: 'read-only: use GET' }], contract),
  }
}

/**
 * Returns the responses of an endpoint by status. The statuses 408 and 431 are not included, because only malformed
 * requests get them.
 */
export function responsesOf(endpoint: Endpoint, contract: Contract): OpenApiObject {
  const codes = errorsOf(endpoint, contract)
  const statuses = [...new Set(codes.map((code) => statusOf(code, contract)))]
  const errors = statuses.map((status) => [status, errorsAt(status, endpoint, contract)])
  return {
    200: successResponse(endpoint),
    ...Object.fromEntries(errors),
    [METHOD_STATUS]: responseRef(METHOD_RESPONSE),
  }
}

function successResponse(endpoint: Endpoint): OpenApiObject {
  const { resource, response } = endpoint
  const row = rowShapeOf(endpoint)
  const list = returnsList(endpoint)
  const example = list ? exampleListOf(row, isPaginated(response)) : { data: exampleOf(row) }
  const schema = schemaRef(list ? listName(row) : responseName(row))
  const ofChanges = endpoint.parameters.includes('updated_since')
  const listHeaders = ofChanges ? UPDATED_LIST_HEADERS : LIST_HEADERS
  const listed = response.kind === 'ids' ? `IDs of the ${resource.plural}` : resource.plural
  return {
    description: list ? `The ${listed}, oldest first.` : `The ${resource.name.toLowerCase()}.`,
    headers: headerRefs(list ? listHeaders : OBJECT_HEADERS),
    content: { 'application/json': { schema, example } },
  }
}

interface ErrorExample {
  readonly code: string
  readonly message: string
  /** The parameter, if a code has one example for each parameter. */
  readonly parameter?: string
}

function errorsAt(status: number, endpoint: Endpoint, contract: Contract): OpenApiObject {
  const codes = errorsOf(endpoint, contract).filter((code) => statusOf(code, contract) === status)
  const [only] = codes
  if (codes.length === 1 && only !== undefined && isShared(only, status, contract)) return responseRef(sharedName(only))
  return errorResponse(
    status,
    codes.flatMap((code) => examplesOf(code, endpoint, contract)),
    contract,
  )
}

function errorResponse(status: number, examples: readonly ErrorExample[], { errors }: Contract): OpenApiObject {
  const named = examples.map(({ code, message, parameter }) => [
    parameter === undefined ? code : `${code}.${parameter}`,
    { summary: parameter === undefined ? code : `${code}: ${parameter}`, value: { error: { code, message } } },
  ])
  const conditions = [...new Set(examples.map(({ code }) => `\`${code}\`: ${errors[code]?.condition ?? ''}`))]
  return {
    description: status === METHOD_STATUS ? ERRORS.NOT_FOUND.otherStatuses[0].condition : conditions.join(' '),
    headers: headerRefs(ERROR_HEADERS[status] ?? AUTHENTICATED_HEADERS),
    content: { 'application/json': { schema: schemaRef('ErrorResponse'), examples: Object.fromEntries(named) } },
  }
}

/** Returns the examples of a code: for `INVALID_PARAM`, one for each of some parameters, and otherwise one. */
function examplesOf(code: string, endpoint: Endpoint, { errors }: Contract): ErrorExample[] {
  const inPath = endpoint.path.includes('{id}')
  if (code === 'INVALID_PARAM' && inPath)
    return [{ code, parameter: 'id', message: invalidParameter('id', ID_RULE, '42').message }]
  if (code === 'INVALID_PARAM') return endpoint.parameters.flatMap((name) => invalidExample(name, endpoint))
  return [{ code, message: errors[code]?.condition ?? code }]
}

/** The service accepts every text as a cursor at first, so only a repeated cursor is an example of `INVALID_PARAM`. */
const TWO_CURSORS = repeatedParameter('cursor', PARAMETERS.cursor.rule(), ['first', 'second'])
/** Invalid values for the examples. A parameter without one, such as `updated_until`, has no example. */
const INVALID_VALUES: Readonly<Partial<Record<ParameterName, string>>> = {
  limit: 'ten',
  updated_since: '2026-07-01T00:00:00',
  created_since: 'yesterday',
  status: 'unknown',
}

function invalidExample(name: ParameterName, { resource }: Endpoint): ErrorExample[] {
  if (name === 'cursor') return [{ code: 'INVALID_PARAM', parameter: name, message: TWO_CURSORS.message }]
  const text = INVALID_VALUES[name]
  if (text === undefined) return []
  try {
    PARAMETERS[name].parse(text, resource)
    return []
  } catch (error) {
    if (error instanceof ApiError) return [{ code: error.code, parameter: name, message: error.message }]
    throw error
  }
}

/** Whether the code is the only one with its status, and its message is the same on every endpoint. */
function isShared(code: string, status: number, { errors }: Contract): boolean {
  return (
    code !== 'INVALID_PARAM' && Object.values(errors).every((each) => each === errors[code] || each.status !== status)
  )
}

function statusOf(code: string, { errors }: Contract): number {
  const error = errors[code]
  if (error === undefined) throw new Error(`${code} is not declared`)
  return error.status
}

function headerRefs(names: readonly string[]): OpenApiObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/**
 * Returns the component name of the response with this code. Without the suffix, generated Go code would declare this
 * name twice.
 */
function sharedName(code: string): string {
  return `${enumMemberName(code)}Response`
}

function responseRef(name: string): OpenApiObject {
  return { $ref: `#/components/responses/${name}` }
}
