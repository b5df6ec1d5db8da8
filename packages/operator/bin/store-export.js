#!/usr/bin/env node
// The command `store-export`, which runs src/main.ts.
import { SMALL_HEAP, startCommand } from '../../runtime.js'

await startCommand({
  name: 'store-export',
  // The flags reduce the memory of a service. `npm run bench` measures it with 32 clients that page through lists.
  flags: ['serve', 'demo'].includes(process.argv[2]) ? SMALL_HEAP : [],
  load: () => import('../src/main.ts'),
})
