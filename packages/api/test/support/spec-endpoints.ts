// The endpoints of the specification, copied by hand, so that an error in the contract makes the tests fail.

/** A valid ID without a row. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

export interface SpecEndpoint {
  /** Path, with `{id}` in place of an ID. */
  readonly path: string
  readonly response: 'detail' | 'list'
  /** The table with the IDs of the path. */
  readonly idOf?: 'orders' | 'customers' | 'products'
  readonly parameters: readonly string[]
}

const DETAIL = { response: 'detail', parameters: [] } as const
const page = (...filters: string[]) => ({ response: 'list', parameters: ['limit', 'cursor', ...filters] }) as const

/** The specification names `updated_since` and, for customers, `created_since`. The others are additions. */
const WINDOWS = ['updated_since', 'updated_until', 'created_since', 'created_until'] as const

/** Names of the lists that have a list of IDs. */
export const LISTS_WITH_IDS = ['orders', 'customers', 'customer-groups', 'locations', 'products', 'categories'] as const

/** Every endpoint. The additions to the specification come last. */
export const SPEC_ENDPOINTS: readonly SpecEndpoint[] = [
  { path: '/api/v1/store', ...DETAIL },
  { path: '/api/v1/orders', ...page(...WINDOWS, 'status') },
  { path: '/api/v1/orders/{id}', ...DETAIL, idOf: 'orders' },
  { path: '/api/v1/customers', ...page(...WINDOWS) },
  { path: '/api/v1/customers/{id}', ...DETAIL, idOf: 'customers' },
  { path: '/api/v1/customers/{id}/addresses', response: 'list', idOf: 'customers', parameters: [] },
  { path: '/api/v1/customer-groups', ...page() },
  { path: '/api/v1/locations', ...page() },
  { path: '/api/v1/products', ...page(...WINDOWS, 'status') },
  { path: '/api/v1/products/{id}', ...DETAIL, idOf: 'products' },
  { path: '/api/v1/categories', ...page() },
  { path: '/api/v1/customer-addresses', ...page(...WINDOWS) },
  ...LISTS_WITH_IDS.map(
    (name): SpecEndpoint => ({ path: `/api/v1/ids/${name}`, response: 'list', parameters: ['cursor'] }),
  ),
]

/** Lists with pages of rows. */
export const SPEC_LISTS = SPEC_ENDPOINTS.filter(({ parameters }) => parameters.includes('limit'))

/** Endpoints with an ID in their path. */
export const SPEC_BY_ID = SPEC_ENDPOINTS.filter(({ idOf }) => idOf !== undefined)

/** The paths of all endpoints, with `id` in place of `{id}`. */
export function pathsWith(id: string): string[] {
  return SPEC_ENDPOINTS.map(({ path }) => path.replace('{id}', id))
}

/** Names of CORS headers. No response may have one. */
export const CORS = /^(access-control-|cross-origin-resource-policy|timing-allow-origin)/
