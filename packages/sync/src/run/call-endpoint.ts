// Finds the client's method for an endpoint by the names in the contract, so that a new list needs no change here.

import type { StoreExportClient } from '@store-export/client'
import { clientMethodOf, type Endpoint } from '@store-export/contract'

/**
 * Calls the client's method for an endpoint with the arguments `values`, and returns its result. The caller names the
 * type of the result, which nothing checks. Throws `Error` if the client has no such method.
 */
export function callEndpoint<Result>(
  client: StoreExportClient,
  endpoint: Endpoint,
  ...values: readonly unknown[]
): Result {
  const { group, method } = clientMethodOf(endpoint)
  // The client's types have one property for each group, but the name of the group is known only at run time.
  const methods: Readonly<Record<string, ((...values: readonly unknown[]) => Result) | undefined>> | undefined =
    Reflect.get(client, group)
  const result = methods?.[method]?.(...values)
  if (result === undefined) throw new Error(`the client has no method for ${endpoint.path}: install its newest version`)
  return result
}
