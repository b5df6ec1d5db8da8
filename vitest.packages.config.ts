// `npm run test:manifests`, `test:units`, and `test:image`: tests of what operators deploy. They need kubectl,
// systemd-analyze, and podman, which npm can't install.

import { defineConfig } from 'vitest/config'

// Vitest requires a default export.
export default defineConfig({
  test: {
    include: ['test/packages/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    testTimeout: 90_000,
    hookTimeout: 600_000,
  },
})
