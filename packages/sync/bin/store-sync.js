#!/usr/bin/env node
// Starts the command `store-sync` from src/main.ts. The published package starts dist/main.js in the same way.
import { SMALL_HEAP, startCommand } from '../../runtime.js'

await startCommand({
  name: 'store-sync',
  flags: ['run', 'verify'].includes(process.argv[2]) ? SMALL_HEAP : [],
  load: () => import('../src/main.ts'),
})
