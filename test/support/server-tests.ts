// Marks each test that uses the server under test (`npm run test:server`): it reads the store on this server, or its
// file creates a control database on a Citus cluster.

import { afterEach, beforeEach, inject } from 'vitest'
import { migratedDatabases } from './databases.ts'
import { requestsOnServer } from './server-store.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Whether the test used the server under test. */
    usesServer?: boolean
  }
}

let before = 0
beforeEach(() => {
  before = requestsOnServer()
})
afterEach(({ task }) => {
  const usesCluster = inject('citusWorkers') !== undefined && migratedDatabases() > 0
  task.meta.usesServer = usesCluster || requestsOnServer() > before
})
