// The paths of the API, each declared once: what it answers, of which resource, with which parameters.

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

/** What an endpoint answers. */
export type ResponseShape =
  /** `{data}` with the only row of the table. */
  | { readonly kind: 'only' }
  /** `{data}` with the row of the id in the path. */
  | { readonly kind: 'one' }
  /** A page of rows. */
  | { readonly kind: 'page' }
  /** A page of ids and times of change; `rows` is what is read of the resource for it. */
  | { readonly kind: 'ids'; readonly rows: Resource }
  /** All rows whose `column` holds the id in the path, in the list envelope; 404 where `parent` has no such row. */
  | { readonly kind: 'allOf'; readonly parent: Resource; readonly column: string }

/** An endpoint. */
export interface Endpoint {
  /** Unique name, used in metrics, in OpenAPI as operationId and as the client's method. */
  readonly id: string
  /** Path with `{id}` where an id stands. */
  readonly path: string
  readonly note: string
  readonly response: ResponseShape
  readonly resource: Resource
  readonly parameters: readonly ParameterName[]
  readonly since: RevisionId
  /** Set where the endpoint is an addition of ours to the specification (R31). */
  readonly addition?: true
}

const PREFIX = '/api/v1'
const PAGE_PARAMETERS = ['limit', 'cursor'] as const

/** Every endpoint, in the order of the specification, with the lists of ids behind them. */
export const ENDPOINTS: readonly Endpoint[] = [
  only({ id: 'getStore', path: '/store', resource: store }),
  page({ id: 'listOrders', path: '/orders', resource: order, filters: ['updated_since', 'status'] }),
  one({ id: 'getOrder', path: '/orders/{id}', resource: order }),
  page({ id: 'listCustomers', path: '/customers', resource: customer, filters: ['created_since', 'updated_since'] }),
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
    filters: ['updated_since'],
    addition: true,
  }),
  page({ id: 'listCustomerGroups', path: '/customer-groups', resource: customerGroup }),
  page({ id: 'listLocations', path: '/locations', resource: location }),
  page({ id: 'listProducts', path: '/products', resource: product, filters: ['updated_since', 'status'] }),
  one({ id: 'getProduct', path: '/products/{id}', resource: product }),
  page({ id: 'listCategories', path: '/categories', resource: category }),
  ids({ id: 'listOrderIds', path: '/ids/orders', resource: order }),
  ids({ id: 'listCustomerIds', path: '/ids/customers', resource: customer }),
  ids({ id: 'listCustomerGroupIds', path: '/ids/customer-groups', resource: customerGroup }),
  ids({ id: 'listLocationIds', path: '/ids/locations', resource: location }),
  ids({ id: 'listProductIds', path: '/ids/products', resource: product }),
  ids({ id: 'listCategoryIds', path: '/ids/categories', resource: category }),
]

/** Resources that have an endpoint of their own, each once, without those that are only embedded. */
export const RESOURCES: readonly Resource[] = [...new Set(ENDPOINTS.map((endpoint) => endpoint.resource))]

/** Every table the service reads with the columns it reads of it, embedded resources included. */
export function columnsByTable(resources: readonly Resource[] = RESOURCES): ReadonlyMap<string, readonly string[]> {
  return new Map(
    resources.flatMap((resource) => [resource, ...childrenOf(resource)]).map((each) => [each.table, columnsOf(each)]),
  )
}

/** What every declaration of an endpoint says; the path stands below `/api/v1`. */
interface EndpointDeclaration {
  readonly id: string
  readonly path: string
  readonly resource: Resource
  readonly addition?: true
}

/** Declares the endpoint of a resource that has one row. */
export function only(place: EndpointDeclaration): Endpoint {
  return { ...declared(place), note: place.resource.note, response: { kind: 'only' }, parameters: [] }
}

/** Declares the endpoint of one row by id. */
export function one(place: EndpointDeclaration): Endpoint {
  const note = `One of the ${place.resource.plural}, by id.`
  return { ...declared(place), note, response: { kind: 'one' }, parameters: [] }
}

/** Declares the endpoint of a paginated list. */
export function page({
  filters = [],
  ...place
}: EndpointDeclaration & { readonly filters?: readonly ParameterName[] }): Endpoint {
  const note = `The ${place.resource.plural} of the store, oldest first.`
  return { ...declared(place), note, response: { kind: 'page' }, parameters: [...PAGE_PARAMETERS, ...filters] }
}

/** Declares the list of a resource's ids: an addition, with pages of a fixed number of rows (R31). */
export function ids(place: Omit<EndpointDeclaration, 'addition'>): Endpoint {
  const { plural } = place.resource
  const rows = LIMITS.pageRowsOfIds.toLocaleString('en')
  const note = `Id and last change of each of the ${plural}, oldest first, ${rows} a page.`
  return {
    ...declared(place),
    note,
    response: { kind: 'ids', rows: idListOf(place.resource) },
    parameters: ['cursor'],
    addition: true,
  }
}

/** Declares the endpoint of all rows that belong to one row of `parent` through `column`. */
export function allOf({
  parent,
  column,
  ...place
}: EndpointDeclaration & { parent: Resource; column: string }): Endpoint {
  const note = `The ${place.resource.plural} of one ${parent.name.toLowerCase()}, oldest first, all at once.`
  return { ...declared(place), note, response: { kind: 'allOf', parent, column }, parameters: [] }
}

function declared(place: EndpointDeclaration): EndpointDeclaration & Pick<Endpoint, 'since'> {
  return { ...place, path: PREFIX + place.path, since: place.resource.since }
}
