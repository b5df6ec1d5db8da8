// The endpoints as the specification lists them, typed out again: a wrong contract must not make a test right.

/** A valid id without a row. */
export const NO_ID = '00000000-0000-4000-8000-000000000000'

/** An endpoint of the specification. */
export interface SpecEndpoint {
  /** With `{id}` where an id stands. */
  readonly path: string
  readonly answer: 'detail' | 'list'
  /** Table in which ids of the path are found. */
  readonly idOf?: 'orders' | 'customers' | 'products'
  readonly parameters: readonly string[]
}

const DETAIL = { answer: 'detail', parameters: [] } as const
const page = (...filters: string[]) => ({ answer: 'list', parameters: ['limit', 'cursor', ...filters] }) as const

/** Names of the lists that have a list of their ids. */
export const WITH_IDS = ['orders', 'customers', 'customer-groups', 'locations', 'products', 'categories'] as const

/** Every endpoint, the additions last. */
export const SPEC_ENDPOINTS: readonly SpecEndpoint[] = [
  { path: '/api/v1/store', ...DETAIL },
  { path: '/api/v1/orders', ...page('updated_since', 'status') },
  { path: '/api/v1/orders/{id}', ...DETAIL, idOf: 'orders' },
  { path: '/api/v1/customers', ...page('created_since', 'updated_since') },
  { path: '/api/v1/customers/{id}', ...DETAIL, idOf: 'customers' },
  { path: '/api/v1/customers/{id}/addresses', answer: 'list', idOf: 'customers', parameters: [] },
  { path: '/api/v1/customer-groups', ...page() },
  { path: '/api/v1/locations', ...page() },
  { path: '/api/v1/products', ...page('updated_since', 'status') },
  { path: '/api/v1/products/{id}', ...DETAIL, idOf: 'products' },
  { path: '/api/v1/categories', ...page() },
  { path: '/api/v1/customer-addresses', ...page('updated_since') },
  ...WITH_IDS.map((name): SpecEndpoint => ({ path: `/api/v1/ids/${name}`, answer: 'list', parameters: ['cursor'] })),
]

/** Lists with pages of rows. */
export const SPEC_LISTS = SPEC_ENDPOINTS.filter(({ parameters }) => parameters.includes('limit'))

/** Those with an id in their path. */
export const SPEC_BY_ID = SPEC_ENDPOINTS.filter(({ idOf }) => idOf !== undefined)

/** Paths of all endpoints, with `id` where one stands. */
export function pathsWith(id: string): string[] {
  return SPEC_ENDPOINTS.map(({ path }) => path.replace('{id}', id))
}

/** Headers of a cross-origin answer, which no answer may have. */
export const CORS = /^(access-control-|cross-origin-resource-policy|timing-allow-origin)/
