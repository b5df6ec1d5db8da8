// Generated from the contract. Do not edit: change the contract and run `npm run generate`.

import type { Caller, CallOptions } from '../caller.ts'
import type { ListOptions, PagedList, PagedListOptions } from '../paged-list.ts'
import type { Category, Customer, CustomerAddress, CustomerGroup, Location, Order, Product, RowId, Store, Uuid } from './types.ts'

/** Methods of `client.store`. */
export class StoreEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Snapshot of the key’s store: a connection check, and the currency of all money fields. */
  get(options: CallOptions = {}): Promise<Store> {
    return this.#caller.object<Store>('/api/v1/store', options)
  }
}

/** What `client.orders.list` takes. */
export interface ListOrdersOptions extends ListOptions {
  /** Only rows updated at or after this instant. Must be an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Refused without an offset: a local time read as UTC would skip rows in silence. */
  readonly updatedSince?: Date | string
  /** Only rows with this status. */
  readonly status?: Order['status']
}

/** Methods of `client.orders`. */
export class OrdersEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The orders of the store, oldest first. An order placed on the storefront, line items embedded. Orders paid by a manual method have payment_provider manual and null processor ids. An order with a pickup_location_id is picked up in person; its shipping_address holds the location’s address snapshot. */
  list(options: ListOrdersOptions = {}): PagedList<Order> {
    return this.#caller.list<Order>('/api/v1/orders', { ...options })
  }

  /** One of the orders, by id. An order placed on the storefront, line items embedded. Orders paid by a manual method have payment_provider manual and null processor ids. An order with a pickup_location_id is picked up in person; its shipping_address holds the location’s address snapshot. */
  get(id: Uuid, options: CallOptions = {}): Promise<Order> {
    return this.#caller.object<Order>(`/api/v1/orders/${encodeURIComponent(id)}`, options)
  }

  /** Id and last change of each of the orders, oldest first, 10,000 a page. A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/orders', { ...options })
  }
}

/** What `client.customers.list` takes. */
export interface ListCustomersOptions extends ListOptions {
  /** Only rows created at or after this instant; works on all stores. Must be an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Refused without an offset: a local time read as UTC would skip rows in silence. */
  readonly createdSince?: Date | string
  /** Only rows updated at or after this instant. Must be an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Refused without an offset: a local time read as UTC would skip rows in silence. On customers refused with INVALID_PARAM by stores older than v1.1, which do not track their updates. */
  readonly updatedSince?: Date | string
}

/** Methods of `client.customers`. */
export class CustomersEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The customers of the store, oldest first. A customer who created an account or checked out. Rows are mutable on newer stores. */
  list(options: ListCustomersOptions = {}): PagedList<Customer> {
    return this.#caller.list<Customer>('/api/v1/customers', { ...options })
  }

  /** One of the customers, by id. A customer who created an account or checked out. Rows are mutable on newer stores. */
  get(id: Uuid, options: CallOptions = {}): Promise<Customer> {
    return this.#caller.object<Customer>(`/api/v1/customers/${encodeURIComponent(id)}`, options)
  }

  /** The customer addresses of one customer, oldest first, all at once. A saved address-book entry of a customer; only active ones are served. Not paginated: has_more is false and next_cursor null, always. An empty list on stores older than v1.1. */
  addresses(id: Uuid, options: CallOptions = {}): Promise<CustomerAddress[]> {
    return this.#caller.rows<CustomerAddress>(`/api/v1/customers/${encodeURIComponent(id)}/addresses`, options)
  }

  /** Id and last change of each of the customers, oldest first, 10,000 a page. A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/customers', { ...options })
  }
}

/** What `client.customerAddresses.list` takes. */
export interface ListCustomerAddressesOptions extends ListOptions {
  /** Only rows updated at or after this instant. Must be an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Refused without an offset: a local time read as UTC would skip rows in silence. */
  readonly updatedSince?: Date | string
}

/** Methods of `client.customerAddresses`. */
export class CustomerAddressesEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The customer addresses of the store, oldest first. A saved address-book entry of a customer; only active ones are served. An empty list on stores older than v1.1. */
  list(options: ListCustomerAddressesOptions = {}): PagedList<CustomerAddress> {
    return this.#caller.list<CustomerAddress>('/api/v1/customer-addresses', { ...options })
  }
}

/** What `client.customerGroups.list` takes. */
export interface ListCustomerGroupsOptions extends ListOptions {}

/** Methods of `client.customerGroups`. */
export class CustomerGroupsEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The customer groups of the store, oldest first. A merchant-defined customer type used for segmentation. An empty list on stores older than v1.1. */
  list(options: ListCustomerGroupsOptions = {}): PagedList<CustomerGroup> {
    return this.#caller.list<CustomerGroup>('/api/v1/customer-groups', { ...options })
  }

  /** Id and last change of each of the customer groups, oldest first, 10,000 a page. A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. An empty list on stores older than v1.1. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/customer-groups', { ...options })
  }
}

/** What `client.locations.list` takes. */
export interface ListLocationsOptions extends ListOptions {}

/** Methods of `client.locations`. */
export class LocationsEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The locations of the store, oldest first. A physical store location for click and collect. An empty list on stores older than v1.2. */
  list(options: ListLocationsOptions = {}): PagedList<Location> {
    return this.#caller.list<Location>('/api/v1/locations', { ...options })
  }

  /** Id and last change of each of the locations, oldest first, 10,000 a page. A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. An empty list on stores older than v1.2. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/locations', { ...options })
  }
}

/** What `client.products.list` takes. */
export interface ListProductsOptions extends ListOptions {
  /** Only rows updated at or after this instant. Must be an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Refused without an offset: a local time read as UTC would skip rows in silence. */
  readonly updatedSince?: Date | string
  /** Only rows with this status. */
  readonly status?: Product['status']
}

/** Methods of `client.products`. */
export class ProductsEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The products of the store, oldest first. A product, variants embedded. One without variants has an empty variants array and holds price and inventory itself. */
  list(options: ListProductsOptions = {}): PagedList<Product> {
    return this.#caller.list<Product>('/api/v1/products', { ...options })
  }

  /** One of the products, by id. A product, variants embedded. One without variants has an empty variants array and holds price and inventory itself. */
  get(id: Uuid, options: CallOptions = {}): Promise<Product> {
    return this.#caller.object<Product>(`/api/v1/products/${encodeURIComponent(id)}`, options)
  }

  /** Id and last change of each of the products, oldest first, 10,000 a page. A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/products', { ...options })
  }
}

/** What `client.categories.list` takes. */
export interface ListCategoriesOptions extends ListOptions {}

/** Methods of `client.categories`. */
export class CategoriesEndpoints {
  readonly #caller: Caller

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The categories of the store, oldest first. A category; categories nest one level through parent_id. */
  list(options: ListCategoriesOptions = {}): PagedList<Category> {
    return this.#caller.list<Category>('/api/v1/categories', { ...options })
  }

  /** Id and last change of each of the categories, oldest first, 10,000 a page. A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/categories', { ...options })
  }
}

/** Every endpoint, grouped by what it serves. */
export class Endpoints {
  readonly store: StoreEndpoints
  readonly orders: OrdersEndpoints
  readonly customers: CustomersEndpoints
  readonly customerAddresses: CustomerAddressesEndpoints
  readonly customerGroups: CustomerGroupsEndpoints
  readonly locations: LocationsEndpoints
  readonly products: ProductsEndpoints
  readonly categories: CategoriesEndpoints

  /** Made by the client. @internal */
  constructor(caller: Caller) {
    this.store = new StoreEndpoints(caller)
    this.orders = new OrdersEndpoints(caller)
    this.customers = new CustomersEndpoints(caller)
    this.customerAddresses = new CustomerAddressesEndpoints(caller)
    this.customerGroups = new CustomerGroupsEndpoints(caller)
    this.locations = new LocationsEndpoints(caller)
    this.products = new ProductsEndpoints(caller)
    this.categories = new CategoriesEndpoints(caller)
  }
}
