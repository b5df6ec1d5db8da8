// Parses the query string by the rules of the contract. An invalid value is an error. An unknown parameter is ignored,
// but the response names it, so that a misspelled filter doesn't look like one that matched all rows.

import {
  ApiError,
  type Endpoint,
  invalidParameter,
  maskKeys,
  PARAMETERS,
  type Parameter,
  type ParameterName,
  type ParameterValue,
  repeatedParameter,
} from '@store-export/contract'

/** Parsed values of the parameters in the query, by name. */
export type ParameterValues = ReadonlyMap<ParameterName, ParameterValue>

/**
 * Parses the parameters of an endpoint. At the first parameter that is empty, repeated, or invalid, throws
 * `INVALID_PARAM`, or `INVALID_CURSOR` for an empty cursor (R9 to R12 in docs/spec/readings.md).
 */
export function readParameters({ parameters, resource }: Endpoint, query: URLSearchParams): ParameterValues {
  const values = new Map<ParameterName, ParameterValue>()
  for (const name of parameters) {
    const { parse, rule }: Parameter = PARAMETERS[name]
    const text = singleValue({ name, rule: rule(resource) }, query)
    if (text !== null) values.set(name, parse(text, resource))
  }
  return values
}

/**
 * Returns the names of the query parameters that the endpoint does not have, without duplicates, in the order of the
 * query (R9 in docs/spec/readings.md).
 */
export function ignoredNames({ parameters }: Endpoint, query: URLSearchParams): string[] {
  const applies = new Set<string>(parameters)
  return [...new Set(query.keys())].filter((name) => !applies.has(name))
}

function singleValue({ name, rule }: { name: ParameterName; rule: string }, query: URLSearchParams): string | null {
  const [text, second] = query.getAll(name)
  if (text === undefined) return null
  if (second !== undefined) throw repeatedParameter(name, rule, [text, second])
  if (text === '' && name === 'cursor')
    throw new ApiError('INVALID_CURSOR', 'cursor: must not be empty; leave it out for the first page')
  if (text === '') throw invalidParameter(name, `${rule}, or left out`, text)
  return text
}

// The client chooses the names, and proxies limit the size of headers.
const IGNORED_NAMES_MAX = 10
const IGNORED_CHARACTERS_MAX = 64

/**
 * Returns the value of the header `x-ignored-params`: up to 10 names, each cut at 64 characters, with API keys masked,
 * percent-encoded. Returns null if `ignored` is empty.
 */
export function ignoredHeader(ignored: readonly string[]): string | null {
  if (ignored.length === 0) return null
  return ignored
    .slice(0, IGNORED_NAMES_MAX)
    .map((name) => encodeURIComponent(maskKeys(name).slice(0, IGNORED_CHARACTERS_MAX).toWellFormed()))
    .join(',')
}
