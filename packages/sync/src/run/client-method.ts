// The client's method for an endpoint, found by the names that the contract gives to both, so that a new list needs no
// line here.

import type { StoreExportClient } from '@store-export/client'
import { clientMethodOf, type Endpoint } from '@store-export/contract'

/** Calls the endpoint's method. Throws if the client has no such method, because it is older than the contract. */
export function callEndpoint<Result>(
  client: StoreExportClient,
  endpoint: Endpoint,
  ...values: readonly unknown[]
): Result {
  const { group, method } = clientMethodOf(endpoint)
  // the client's types name each group, and this name is known at run time only
  const methods: Readonly<Record<string, ((...values: readonly unknown[]) => Result) | undefined>> | undefined =
    Reflect.get(client, group)
  const result = methods?.[method]?.(...values)
  if (result === undefined) throw new Error(`the client has no method for ${endpoint.path}: install its newest version`)
  return result
}
