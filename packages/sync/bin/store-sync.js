#!/usr/bin/env node
// The command `store-sync`: runs src/main.ts. What is published runs dist/main.js in the same way.
import { SMALL_HEAP, startCommand } from '../../runtime.js'

await startCommand({
  name: 'store-sync',
  flags: ['run', 'verify'].includes(process.argv[2]) ? SMALL_HEAP : [],
  load: () => import('../src/main.ts'),
})
