// `npm run test:manifests`, which needs Python and kubectl or Go: npm can't install these programs.

import { defineConfig } from 'vitest/config'

// Vitest requires a default export.
export default defineConfig({
  test: { include: ['test/packages/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 600_000 },
})
