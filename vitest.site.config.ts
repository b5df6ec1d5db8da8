// Tests of the website that `npm run site` has built. `npm run test:site` runs them.
import { defineConfig } from 'vitest/config'

// the one default export: vitest reads no other
export default defineConfig({
  test: { include: ['test/site/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
