// The contract as one value, for what is derived from it for readers: OpenAPI, types, tables. Each part can be
// replaced, so that a test can show what one more field, endpoint or error code would change.

import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import { ERRORS, type ErrorDeclaration, errorsFor } from './errors.ts'
import { idRow } from './ids.ts'
import { childrenOf, type Resource, type RowShape } from './resource.ts'
import { REVISIONS } from './revisions.ts'

/** A revision as it is told to readers. */
export interface RevisionEntry {
  readonly id: string
  /** Day of publication, `2026-07-08`. */
  readonly date: string
  readonly summary: string
}

/** Everything that readers are told about. */
export interface Contract {
  readonly endpoints: readonly Endpoint[]
  readonly errors: Readonly<Record<string, ErrorDeclaration>>
  /** Oldest first. */
  readonly revisions: readonly RevisionEntry[]
}

/** The contract as declared in this package. */
export const CONTRACT: Contract = { endpoints: ENDPOINTS, errors: ERRORS, revisions: REVISIONS }

/** The declared contract with `parts` in place of its own. */
export function contractWith(parts: Partial<Contract>): Contract {
  return { ...CONTRACT, ...parts }
}

/** Whatever rows the endpoints serve, each once, each followed by those embedded in it. */
export function resourcesOf({ endpoints }: Contract): RowShape[] {
  return [...new Set(endpoints.map(rowShapeOf).flatMap((row) => [row, ...childrenOf(row)]))]
}

/** What is read of a store for the endpoint: its resource, or of a list of ids the part of it that tells them. */
export function readResource({ response, resource }: Endpoint): Resource {
  return response.kind === 'ids' ? response.rows : resource
}

/** What a row of the endpoint's answer is: its resource, or of a list of ids the same for all. */
export function rowShapeOf({ response, resource }: Endpoint): RowShape {
  return response.kind === 'ids' ? idRow : resource
}

/** Codes an endpoint can answer with, in the order of the table of errors. */
export function errorsOf({ response }: Endpoint, { errors }: Contract = CONTRACT): string[] {
  return errorsFor(response.kind, errors)
}

/** Id of the newest revision. */
export function latestRevisionOf({ revisions }: Contract): string {
  return revisions.at(-1)?.id ?? 'launch'
}

/** `Customer address` as a name in code: `CustomerAddress`. */
export function typeName({ name }: RowShape): string {
  return name
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Whether the endpoint answers in the list envelope. */
export function returnsList({ response }: Endpoint): boolean {
  return isPaginated(response) || response.kind === 'allOf'
}

/** Whether the answer is one page of several, each leading to the next by its cursor. */
export function isPaginated({ kind }: Endpoint['response']): boolean {
  return kind === 'page' || kind === 'ids'
}
