// Finds the endpoint of a request. A path must match exactly, because a lenient match would serve the same list at two
// addresses. For other paths, the error suggests the exact path.

import { ApiError, ENDPOINTS, type Endpoint, ID_RULE, invalidParameter } from '@store-export/contract'
import type { ApiRequest } from './api-request.ts'
import { suggestPath } from './suggest-path.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ID = '{id}'

/** An endpoint, and the path segment of its ID; '' if the path has no ID. */
export interface Route {
  readonly endpoint: Endpoint
  readonly rawId: string
}

/** Finds the endpoint for a path by comparing its segments. */
export class Router {
  private readonly routes: readonly { readonly endpoint: Endpoint; readonly segments: readonly string[] }[]

  constructor(endpoints: readonly Endpoint[] = ENDPOINTS) {
    this.routes = endpoints.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/') }))
  }

  /** Returns the route of a path; null for an unknown path. The ID in the route is as sent, and may be no UUID. */
  find(path: string): Route | null {
    const requested = path.split('/')
    const found = this.routes.find(({ segments }) => matches(segments, requested))
    if (found === undefined) return null
    return { endpoint: found.endpoint, rawId: requested[found.segments.indexOf(ID)] ?? '' }
  }
}

/**
 * Returns `route`. Throws an `ApiError` with status 404 if it is null. Throws one with 405 for a method other than GET
 * and HEAD (R2 and R3 in docs/spec/readings.md).
 */
export function requireRoute(route: Route | null, { method, path }: Pick<ApiRequest, 'method' | 'path'>): Route {
  if (route === null) {
    // The reason in the merchant's request log must not have IDs that the client sent.
    const withoutId = path.split('/').map((segment) => (UUID.test(segment) ? ID : segment))
    throw new ApiError('NOT_FOUND', unknownPath(path), { reason: unknownPath(withoutId.join('/')) })
  }
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('NOT_FOUND', 'read-only: use GET', { status: 405, headers: { allow: 'GET, HEAD' } })
  return route
}

function unknownPath(path: string): string {
  const suggested = suggestPath(path)
  const hint = suggested === null ? '; the' : `; did you mean ${suggested}? The`
  return `no such path${hint} reference is at /docs`
}

/**
 * Returns the ID in lower case; '' if the path has no ID. Throws `INVALID_PARAM` unless `rawId` is a UUID with hyphens
 * (R24 in docs/spec/readings.md).
 */
export function readId(endpoint: Endpoint, rawId: string): string {
  if (!endpoint.path.includes(ID)) return ''
  if (UUID.test(rawId)) return rawId.toLowerCase()
  throw invalidParameter('id', ID_RULE, decoded(rawId))
}

function matches(segments: readonly string[], requested: readonly string[]): boolean {
  return (
    segments.length === requested.length &&
    segments.every((segment, index) => (segment === ID ? requested[index] !== '' : segment === requested[index]))
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
