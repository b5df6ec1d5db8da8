// Marks each test that reads the store on the server under test (`npm run test:server`).

import { afterEach, beforeEach } from 'vitest'
import { requestsOnServer } from './server-store.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Whether the test read the store on the server under test. */
    readsServer?: boolean
  }
}

let before = 0
beforeEach(() => {
  before = requestsOnServer()
})
afterEach(({ task }) => {
  task.meta.readsServer = requestsOnServer() > before
})
