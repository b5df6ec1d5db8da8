#!/usr/bin/env node
// The command `store-export`: runs src/main.ts.
import { SMALL_NURSERY, startCommand } from '../../runtime.js'

await startCommand({
  name: 'store-export',
  file: import.meta.url,
  // `npm run bench` measures the service's memory under 32 walks
  flags: ['serve', 'demo'].includes(process.argv[2]) ? [SMALL_NURSERY] : [],
  load: () => import('../src/main.ts'),
})
