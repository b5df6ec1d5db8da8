// The single declaration of each endpoint: the path, the response, the resource, and the parameters. Routing, SQL,
// OpenAPI, the client, and the documentation are derived from it, so they cannot disagree.

import { idListOf } from './ids.ts'
import { LIMITS } from './limits.ts'
import type { ParameterName } from './parameters.ts'
import { childrenOf, columnsOf, type Resource } from './resource.ts'
import { category } from './resources/category.ts'
import { customer } from './resources/customer.ts'
import { customerAddress } from './resources/customer-address.ts'
import { customerGroup } from './resources/customer-group.ts'
import { location } from './resources/location.ts'
import { order } from './resources/order.ts'
import { product } from './resources/product.ts'
import { store } from './resources/store.ts'
import type { RevisionId } from './revisions.ts'

/** The shape of an endpoint's response, and the rows in it. */
export type ResponseShape =
  /** `{data}` with the only row of the table. */
  | { readonly kind: 'only' }
  /** `{data}` with the row that has the ID in the path. */
  | { readonly kind: 'one' }
  /** A page of rows. */
  | { readonly kind: 'page' }
  /** A page of IDs with their last changes. `rows` is the part of the resource that the service reads. */
  | { readonly kind: 'ids'; readonly rows: Resource }
  /** A list of all rows whose `column` is the ID in the path; 404 if `parent` has no row with this ID. */
  | { readonly kind: 'allOf'; readonly parent: Resource; readonly column: string }

/** A path that accepts GET and HEAD. Its route, documentation, and client method are derived from this declaration. */
export interface Endpoint {
  /** Unique name, which is the `operationId` in OpenAPI. */
  readonly id: string
  /** Path, with `{id}` in place of an ID. */
  readonly path: string
  /** What the endpoint returns, as sentences for the documentation. */
  readonly note: string
  readonly response: ResponseShape
  readonly resource: Resource
  readonly parameters: readonly ParameterName[]
  /** First schema version whose stores have the table of the rows. Lists are empty on older stores. */
  readonly since: RevisionId
  /** Set if the specification does not name the endpoint. R31 in docs/spec/readings.md allows such additions. */
  readonly addition?: true
}

const PREFIX = '/api/v1'
const PAGE_PARAMETERS = ['limit', 'cursor'] as const
const UPDATED = ['updated_since', 'updated_until'] as const
const CREATED = ['created_since', 'created_until'] as const

/**
 * Every endpoint that reads a store, in the order of the specification. The additions are the list of all customer
 * addresses, and the lists of IDs, which come last.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  only({ id: 'getStore', path: '/store', resource: store }),
  page({ id: 'listOrders', path: '/orders', resource: order, filters: [...UPDATED, ...CREATED, 'status'] }),
  one({ id: 'getOrder', path: '/orders/{id}', resource: order }),
  page({ id: 'listCustomers', path: '/customers', resource: customer, filters: [...CREATED, ...UPDATED] }),
  one({ id: 'getCustomer', path: '/customers/{id}', resource: customer }),
  allOf({
    id: 'listAddressesOfCustomer',
    path: '/customers/{id}/addresses',
    resource: customerAddress,
    parent: customer,
    column: 'customer_id',
  }),
  page({
    id: 'listCustomerAddresses',
    path: '/customer-addresses',
    resource: customerAddress,
    filters: [...UPDATED, ...CREATED],
    addition: true,
  }),
  page({ id: 'listCustomerGroups', path: '/customer-groups', resource: customerGroup }),
  page({ id: 'listLocations', path: '/locations', resource: location }),
  page({ id: 'listProducts', path: '/products', resource: product, filters: [...UPDATED, ...CREATED, 'status'] }),
  one({ id: 'getProduct', path: '/products/{id}', resource: product }),
  page({ id: 'listCategories', path: '/categories', resource: category }),
  ids({ id: 'listOrderIds', path: '/ids/orders', resource: order }),
  ids({ id: 'listCustomerIds', path: '/ids/customers', resource: customer }),
  ids({ id: 'listCustomerGroupIds', path: '/ids/customer-groups', resource: customerGroup }),
  ids({ id: 'listLocationIds', path: '/ids/locations', resource: location }),
  ids({ id: 'listProductIds', path: '/ids/products', resource: product }),
  ids({ id: 'listCategoryIds', path: '/ids/categories', resource: category }),
]

/** Every resource that has its own endpoint. Embedded resources are not included. */
export const RESOURCES: readonly Resource[] = [...new Set(ENDPOINTS.map((endpoint) => endpoint.resource))]

/** Returns the columns that the service reads of `resources`, by table. Tables of embedded resources are included. */
export function columnsByTable(resources: readonly Resource[] = RESOURCES): ReadonlyMap<string, readonly string[]> {
  return new Map(
    resources.flatMap((resource) => [resource, ...childrenOf(resource)]).map((each) => [each.table, columnsOf(each)]),
  )
}

/** Members of every endpoint's declaration. */
interface EndpointDeclaration {
  readonly id: string
  /** Path relative to `/api/v1`. */
  readonly path: string
  readonly resource: Resource
  readonly addition?: true
}

/** Declares the endpoint of a resource that has one row. The note of the resource is also that of the endpoint. */
export function only(declaration: EndpointDeclaration): Endpoint {
  return {
    ...declared(declaration),
    note: declaration.resource.note,
    response: { kind: 'only' },
    parameters: [],
  }
}

/** Declares the endpoint of one row by ID. `path` contains `{id}`. */
export function one(declaration: EndpointDeclaration): Endpoint {
  const note = `Returns one ${declaration.resource.name.toLowerCase()} by ID.`
  return { ...declared(declaration), note, response: { kind: 'one' }, parameters: [] }
}

/** Declares the endpoint of a paginated list. */
export function page({
  filters = [],
  ...declaration
}: EndpointDeclaration & { readonly filters?: readonly ParameterName[] }): Endpoint {
  const note = `Returns the ${declaration.resource.plural} of the store, oldest first.`
  return { ...declared(declaration), note, response: { kind: 'page' }, parameters: [...PAGE_PARAMETERS, ...filters] }
}

/** Declares the list of a resource's IDs. It is an addition to the specification, and its page size is fixed. */
export function ids(declaration: Omit<EndpointDeclaration, 'addition'>): Endpoint {
  const { plural } = declaration.resource
  const rows = LIMITS.pageRowsOfIds.toLocaleString('en')
  const note = `Returns the IDs of all ${plural}, oldest first, with the time of each row's last change. A page has up to ${rows} IDs.`
  return {
    ...declared(declaration),
    note,
    response: { kind: 'ids', rows: idListOf(declaration.resource) },
    parameters: ['cursor'],
    addition: true,
  }
}

/** Declares the endpoint of all rows whose `column` is the ID of one row of `parent`. `path` contains `{id}`. */
export function allOf({
  parent,
  column,
  ...declaration
}: EndpointDeclaration & { parent: Resource; column: string }): Endpoint {
  const note = `Returns all ${declaration.resource.plural} of one ${parent.name.toLowerCase()}, oldest first.`
  return { ...declared(declaration), note, response: { kind: 'allOf', parent, column }, parameters: [] }
}

function declared(declaration: EndpointDeclaration): EndpointDeclaration & Pick<Endpoint, 'since'> {
  return { ...declaration, path: PREFIX + declaration.path, since: declaration.resource.since }
}
