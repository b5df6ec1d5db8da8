// `npm run test:server`: tests of the API's responses with a store on another PostgreSQL server.

import { defineConfig } from 'vitest/config'
import { ServerReport } from './test/support/server-report.ts'
import { EVERY_TEST } from './vitest.config.ts'

/** Tests of responses. Tests of admission, framing, errors, and older schemas need no store on that server. */
export const RESPONSE_TESTS = [
  'categories.list',
  'customer-addresses.list',
  'customer-groups.list',
  'customers.addresses',
  'customers.get',
  'customers.list',
  'errors',
  'filters-without-index',
  'ids.list',
  'ids.walks',
  'incremental',
  'incremental-loops',
  'locations.list',
  'openapi',
  'orders.get',
  'orders.list',
  'pagination',
  'parameters',
  'products.get',
  'products.list',
  'store.get',
  'transaction-wait',
  'values',
  'walks',
]

/** Tests of control databases, which run only if `--control-worker` distributes them. */
const CONTROL_TESTS =
  process.env.STORE_EXPORT_TEST_CITUS_WORKERS === undefined
    ? []
    : [
        'packages/control/src/**/*.test.ts',
        'packages/api/test/{authentication,key-permissions,rate-limit,request-log}.test.ts',
        'packages/dashboard/test/unreadable-usage.test.ts',
        'test/citus/*.test.ts',
      ]

// Vitest requires a default export.
export default defineConfig({
  test: {
    ...EVERY_TEST,
    include: [...RESPONSE_TESTS.map((name) => `packages/api/test/${name}.test.ts`), ...CONTROL_TESTS],
    globalSetup: ['test/support/global-setup.ts', 'test/support/server-setup.ts'],
    setupFiles: ['test/support/server-tests.ts'],
    reporters: ['dot', new ServerReport()],
    // The server has one database for all tests.
    maxWorkers: 1,
    fileParallelism: false,
  },
})
