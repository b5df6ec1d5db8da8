#!/usr/bin/env node
// The command `store-export`: runs src/main.ts.
import { SMALL_HEAP, startCommand } from '../../runtime.js'

await startCommand({
  name: 'store-export',
  // `npm run bench` measures the service's memory under 32 walks
  flags: ['serve', 'demo'].includes(process.argv[2]) ? SMALL_HEAP : [],
  load: () => import('../src/main.ts'),
})
