// Creates DuckDB copies. The package exports this module and not the class, because the types of the class come from an
// optional dependency.

import type { Copy } from '../copy.ts'
import { DuckDbCopy } from './duckdb-copy.ts'

/**
 * Returns a copy in a DuckDB file. `open` creates a missing file and its folder. `open`, and `peek` of an existing
 * file, throw `CopyError` if the package `@duckdb/node-api` is not installed.
 */
export function duckDbCopy(file: string): Copy {
  return new DuckDbCopy(file)
}
