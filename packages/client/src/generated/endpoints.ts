// Generated from the contract. Do not edit: change the contract and run `npm run generate`.

import type { Caller, CallOptions } from '../caller.ts'
import type { ListOptions, PagedList, PagedListOptions } from '../paged-list.ts'
import type { Category, Customer, CustomerAddress, CustomerGroup, Location, Order, Product, RowId, Store, Uuid } from './types.ts'

/** Methods of `client.store`. */
export class StoreEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The store that the key belongs to. Read it to test the connection, and to get the currency of amounts. */
  get(options: CallOptions = {}): Promise<Store> {
    return this.#caller.object<Store>('/api/v1/store', options)
  }
}

/** The filters and the page size of `client.orders.list`. */
export interface ListOrdersOptions extends ListOptions {
  /** Returns only rows whose `updated_at` is this time or later. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly updatedSince?: Date | string
  /** Returns only rows whose `updated_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send `now`, and use the greatest `updated_at` in the list as the `updated_since` of your next sync. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly updatedUntil?: Date | string
  /** Returns only rows whose `created_at` is this time or later. Works on all stores. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdSince?: Date | string
  /** Returns only rows whose `created_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. Works on all stores. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdUntil?: Date | string
  /** Returns only rows with this status. */
  readonly status?: Order['status']
}

/** Methods of `client.orders`. */
export class OrdersEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the orders of the store, oldest first. */
  list(options: ListOrdersOptions = {}): PagedList<Order> {
    return this.#caller.list<Order>('/api/v1/orders', { ...options })
  }

  /** Returns one order by ID. */
  get(id: Uuid, options: CallOptions = {}): Promise<Order> {
    return this.#caller.object<Order>(`/api/v1/orders/${encodeURIComponent(id)}`, options)
  }

  /** Returns the IDs of all orders, oldest first, with the time of each row's last change. A page has up to 10,000 IDs. Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/orders', { ...options })
  }
}

/** The filters and the page size of `client.customers.list`. */
export interface ListCustomersOptions extends ListOptions {
  /** Returns only rows whose `created_at` is this time or later. Works on all stores. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdSince?: Date | string
  /** Returns only rows whose `created_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. Works on all stores. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdUntil?: Date | string
  /** Returns only rows whose `updated_at` is this time or later. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Stores older than v1.1 do not track updates of customers. On these stores, the parameter returns INVALID_PARAM for customers. */
  readonly updatedSince?: Date | string
  /** Returns only rows whose `updated_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send `now`, and use the greatest `updated_at` in the list as the `updated_since` of your next sync. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. Stores older than v1.1 do not track updates of customers. On these stores, the parameter returns INVALID_PARAM for customers. */
  readonly updatedUntil?: Date | string
}

/** Methods of `client.customers`. */
export class CustomersEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the customers of the store, oldest first. */
  list(options: ListCustomersOptions = {}): PagedList<Customer> {
    return this.#caller.list<Customer>('/api/v1/customers', { ...options })
  }

  /** Returns one customer by ID. */
  get(id: Uuid, options: CallOptions = {}): Promise<Customer> {
    return this.#caller.object<Customer>(`/api/v1/customers/${encodeURIComponent(id)}`, options)
  }

  /** Returns all customer addresses of one customer, oldest first. Returns an empty list on stores older than v1.1. */
  addresses(id: Uuid, options: CallOptions = {}): Promise<CustomerAddress[]> {
    return this.#caller.rows<CustomerAddress>(`/api/v1/customers/${encodeURIComponent(id)}/addresses`, options)
  }

  /** Returns the IDs of all customers, oldest first, with the time of each row's last change. A page has up to 10,000 IDs. Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/customers', { ...options })
  }
}

/** The filters and the page size of `client.customerAddresses.list`. */
export interface ListCustomerAddressesOptions extends ListOptions {
  /** Returns only rows whose `updated_at` is this time or later. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly updatedSince?: Date | string
  /** Returns only rows whose `updated_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send `now`, and use the greatest `updated_at` in the list as the `updated_since` of your next sync. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly updatedUntil?: Date | string
  /** Returns only rows whose `created_at` is this time or later. Works on all stores. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdSince?: Date | string
  /** Returns only rows whose `created_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. Works on all stores. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdUntil?: Date | string
}

/** Methods of `client.customerAddresses`. */
export class CustomerAddressesEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the customer addresses of the store, oldest first. Returns an empty list on stores older than v1.1. */
  list(options: ListCustomerAddressesOptions = {}): PagedList<CustomerAddress> {
    return this.#caller.list<CustomerAddress>('/api/v1/customer-addresses', { ...options })
  }
}

/** The page size of `client.customerGroups.list`. */
export interface ListCustomerGroupsOptions extends ListOptions {}

/** Methods of `client.customerGroups`. */
export class CustomerGroupsEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the customer groups of the store, oldest first. Returns an empty list on stores older than v1.1. */
  list(options: ListCustomerGroupsOptions = {}): PagedList<CustomerGroup> {
    return this.#caller.list<CustomerGroup>('/api/v1/customer-groups', { ...options })
  }

  /** Returns the IDs of all customer groups, oldest first, with the time of each row's last change. A page has up to 10,000 IDs. Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row. Returns an empty list on stores older than v1.1. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/customer-groups', { ...options })
  }
}

/** The page size of `client.locations.list`. */
export interface ListLocationsOptions extends ListOptions {}

/** Methods of `client.locations`. */
export class LocationsEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the locations of the store, oldest first. Returns an empty list on stores older than v1.2. */
  list(options: ListLocationsOptions = {}): PagedList<Location> {
    return this.#caller.list<Location>('/api/v1/locations', { ...options })
  }

  /** Returns the IDs of all locations, oldest first, with the time of each row's last change. A page has up to 10,000 IDs. Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row. Returns an empty list on stores older than v1.2. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/locations', { ...options })
  }
}

/** The filters and the page size of `client.products.list`. */
export interface ListProductsOptions extends ListOptions {
  /** Returns only rows whose `updated_at` is this time or later. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly updatedSince?: Date | string
  /** Returns only rows whose `updated_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send `now`, and use the greatest `updated_at` in the list as the `updated_since` of your next sync. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly updatedUntil?: Date | string
  /** Returns only rows whose `created_at` is this time or later. Works on all stores. A `Date`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdSince?: Date | string
  /** Returns only rows whose `created_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. Works on all stores. A `Date`, `now`, or an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z. */
  readonly createdUntil?: Date | string
  /** Returns only rows with this status. */
  readonly status?: Product['status']
}

/** Methods of `client.products`. */
export class ProductsEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the products of the store, oldest first. */
  list(options: ListProductsOptions = {}): PagedList<Product> {
    return this.#caller.list<Product>('/api/v1/products', { ...options })
  }

  /** Returns one product by ID. */
  get(id: Uuid, options: CallOptions = {}): Promise<Product> {
    return this.#caller.object<Product>(`/api/v1/products/${encodeURIComponent(id)}`, options)
  }

  /** Returns the IDs of all products, oldest first, with the time of each row's last change. A page has up to 10,000 IDs. Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/products', { ...options })
  }
}

/** The page size of `client.categories.list`. */
export interface ListCategoriesOptions extends ListOptions {}

/** Methods of `client.categories`. */
export class CategoriesEndpoints {
  readonly #caller: Caller

  /** The client creates it. @internal */
  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Returns the categories of the store, oldest first. */
  list(options: ListCategoriesOptions = {}): PagedList<Category> {
    return this.#caller.list<Category>('/api/v1/categories', { ...options })
  }

  /** Returns the IDs of all categories, oldest first, with the time of each row's last change. A page has up to 10,000 IDs. Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row. */
  ids(options: PagedListOptions = {}): PagedList<RowId> {
    return this.#caller.idList<RowId>('/api/v1/ids/categories', { ...options })
  }
}

/** The methods of the client, by resource. */
export class Endpoints {
  readonly store: StoreEndpoints
  readonly orders: OrdersEndpoints
  readonly customers: CustomersEndpoints
  readonly customerAddresses: CustomerAddressesEndpoints
  readonly customerGroups: CustomerGroupsEndpoints
  readonly locations: LocationsEndpoints
  readonly products: ProductsEndpoints
  readonly categories: CategoriesEndpoints

  /** The client creates it. @internal */
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
