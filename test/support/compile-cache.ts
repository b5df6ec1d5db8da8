// Where the programs that tests start keep what Node compiled of them: each of the many starts then takes half the time.

import path from 'node:path'

/** Variables for the environment of a program that is started from its source. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: path.resolve(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'node-compile'),
} as const
