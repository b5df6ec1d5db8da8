// Runs the service in a separate process, with a client.

import { type ApiClient, createApiClient } from '../lib/api-client.ts'
import { type Child, SERVICE_PROCESS, startChild } from '../lib/child.ts'
import type { Dataset } from '../lib/dataset.ts'

/** A running service, its process, and a client with a key. */
export interface ServiceUnderLoad extends AsyncDisposable {
  readonly service: Child
  readonly url: string
  readonly client: ApiClient
}

/** Starts a service on the databases of `dataset`. */
export async function runService({ controlUrl, secret, key }: Dataset): Promise<ServiceUnderLoad> {
  const service = startChild(SERVICE_PROCESS)
  const url = String(await service.call('start', { controlUrl, secret }))
  const client = createApiClient(url, key)
  return {
    ...{ service, url, client },
    [Symbol.asyncDispose]: async () => {
      client.close()
      await service.close()
    },
  }
}
