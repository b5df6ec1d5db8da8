// Combines the endpoints, error codes, and schema versions in one value, from which OpenAPI, types, and tables are
// derived. Tests replace a part of the value. They prove that a new field, endpoint, or error code needs only one
// declaration.

import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import { ERRORS, type ErrorDeclaration, errorsFor } from './errors.ts'
import { idRow } from './ids.ts'
import { childrenOf, type Resource, type RowShape } from './resource.ts'
import { REVISIONS } from './revisions.ts'

/** A schema version as the documentation shows it. */
export interface RevisionEntry {
  readonly id: string
  /** Day of publication, such as `2026-07-08`. */
  readonly date: string
  readonly summary: string
}

/** The endpoints, error codes, and schema versions of the API. */
export interface Contract {
  readonly endpoints: readonly Endpoint[]
  readonly errors: Readonly<Record<string, ErrorDeclaration>>
  /** Schema versions, oldest first. */
  readonly revisions: readonly RevisionEntry[]
}

/** The contract as the service implements it, with no part replaced. */
export const CONTRACT: Contract = { endpoints: ENDPOINTS, errors: ERRORS, revisions: REVISIONS }

/** Returns the declared contract with `parts` in place of its own. */
export function contractWith(parts: Partial<Contract>): Contract {
  return { ...CONTRACT, ...parts }
}

/** Returns the row shapes of all endpoints without duplicates. Embedded rows follow the row that contains them. */
export function resourcesOf({ endpoints }: Contract): RowShape[] {
  return [...new Set(endpoints.map(rowShapeOf).flatMap((row) => [row, ...childrenOf(row)]))]
}

/**
 * Returns the resource that the service reads for a key with personal data. For a list of IDs, it has only the fields
 * that the list needs.
 */
export function readResource({ response, resource }: Endpoint): Resource {
  return response.kind === 'ids' ? response.rows : resource
}

/** Returns the shape of a row in the response, which is the same for all lists of IDs. */
export function rowShapeOf({ response, resource }: Endpoint): RowShape {
  return response.kind === 'ids' ? idRow : resource
}

/** Returns the error codes that an endpoint can return, in the order of `errors`. */
export function errorsOf({ response }: Endpoint, { errors }: Contract = CONTRACT): string[] {
  return errorsFor(response.kind, errors)
}

/** Returns the ID of the newest schema version; `launch` if the contract has none. */
export function latestRevisionOf({ revisions }: Contract): string {
  return revisions.at(-1)?.id ?? 'launch'
}

/** Returns the name as an identifier: `Customer address` becomes `CustomerAddress`. */
export function typeName({ name }: RowShape): string {
  return name
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('')
}

/** Whether the response is a list, with `data` and `meta`. */
export function returnsList({ response }: Endpoint): boolean {
  return isPaginated(response) || response.kind === 'allOf'
}

/** Whether the response is one page of a list, with a cursor for the next page. */
export function isPaginated({ kind }: Endpoint['response']): boolean {
  return kind === 'page' || kind === 'ids'
}
