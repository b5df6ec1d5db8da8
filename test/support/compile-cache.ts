// Sets Node.js's compile cache for the programs that tests start. The cache halves the time of a start.

import path from 'node:path'

/** Environment variables for a program that is started from its source. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: path.resolve(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'node-compile'),
} as const
