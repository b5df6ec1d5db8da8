// Which endpoint a request is for. Paths are the contract's; matching is exact.

import { ApiError, ENDPOINTS, type Endpoint, ID_RULE, invalidParameter } from '@store-export/contract'
import type { ApiRequest } from './api-request.ts'
import { suggestPath } from './suggest-path.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ID = '{id}'

/** An endpoint, and the part of the path at the place of its ID. */
export interface Route {
  readonly endpoint: Endpoint
  readonly rawId: string
}

/** Finds endpoints by path. */
export class Router {
  private readonly routes: readonly { readonly endpoint: Endpoint; readonly segments: readonly string[] }[]

  constructor(endpoints: readonly Endpoint[] = ENDPOINTS) {
    this.routes = endpoints.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/') }))
  }

  /** The route of a path; null for an unknown one. */
  find(path: string): Route | null {
    const given = path.split('/')
    const found = this.routes.find(({ segments }) => matches(segments, given))
    if (found === undefined) return null
    return { endpoint: found.endpoint, rawId: given[found.segments.indexOf(ID)] ?? '' }
  }
}

/** The route of a request. Throws 404 for an unknown path, then 405 for any method but GET and HEAD (R2, R3). */
export function requireRoute(route: Route | null, { method, path }: Pick<ApiRequest, 'method' | 'path'>): Route {
  if (route === null) {
    const suggested = suggestPath(path)
    const hint = suggested === null ? '; the' : `; did you mean ${suggested}? The`
    throw new ApiError('NOT_FOUND', `no such path${hint} reference is at /docs`)
  }
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('NOT_FOUND', 'read-only: use GET', { status: 405, headers: { allow: 'GET, HEAD' } })
  return route
}

/** The id of a path in lower case; throws `INVALID_PARAM` where it is no canonical UUID (R24). */
export function readId(endpoint: Endpoint, rawId: string): string {
  if (!endpoint.path.includes(ID)) return ''
  if (UUID.test(rawId)) return rawId.toLowerCase()
  throw invalidParameter('id', ID_RULE, decoded(rawId))
}

function matches(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => (segment === ID ? given[index] !== '' : segment === given[index]))
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
