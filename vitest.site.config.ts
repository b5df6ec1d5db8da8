// `npm run test:site`: tests of the website that `npm run site` has built.

import { defineConfig } from 'vitest/config'

// Vitest requires a default export.
export default defineConfig({
  test: { include: ['test/site/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
