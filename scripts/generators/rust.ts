// Tests of progenitor, a client generator from crates.io.

import path from 'node:path'
import type { GeneratorTest } from './generator-test.ts'

/** The tests of generators from crates.io. `test/generators/progenitor/Cargo.toml` pins the versions. */
export const RUST_TESTS: readonly GeneratorTest[] = [
  {
    name: 'progenitor',
    version: '0.15.1',
    needs: ['cargo'],
    build: async (workspace) => {
      // The program names the document, and progenitor reads it while cargo compiles.
      workspace.document('openapi-3.0.json')
      const target = path.join(workspace.installed, 'cargo-target')
      const env = { CARGO_HOME: path.join(workspace.installed, 'cargo'), CARGO_TARGET_DIR: target }
      await workspace.run({ program: 'cargo', args: ['build', '--quiet'], env })
      return { program: path.join(target, 'debug', 'read-orders'), args: [] }
    },
  },
]
