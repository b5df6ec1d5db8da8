#!/usr/bin/env node
// The command `store-sync`: runs src/main.ts. What is published runs dist/main.js in the same way.
import { SMALL_NURSERY, startCommand } from '../../runtime.js'

/** A run has hours of pages where the store is large; the heap grows by less at a time than it would. */
const FLAGS = [SMALL_NURSERY, '--heap-growing-percent=80']

await startCommand({
  name: 'store-sync',
  file: import.meta.url,
  flags: ['run', 'verify'].includes(process.argv[2]) ? FLAGS : [],
  load: () => import('../src/main.ts'),
})
