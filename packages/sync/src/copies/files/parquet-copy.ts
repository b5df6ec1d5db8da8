// Writes a copy as a folder of Parquet files with typed columns, for pandas, DuckDB, Spark and Power BI. The package
// exports this module and not the writer, because the writer's types come from an optional dependency.

import path from 'node:path'
import { FileCopy } from './file-copy.ts'
import { ParquetWriter } from './parquet-writer.ts'

/** Name of the SQLite file. It differs from that of a CSV copy, so that one folder can contain both copies. */
const DATABASE = '.store-sync-parquet.db'

/**
 * Returns a copy in a folder. `open` creates a missing folder, and throws `CopyError` if the package
 * `@duckdb/node-api` is not installed.
 */
export function parquetCopy(folder: string): FileCopy {
  return new FileCopy({
    name: folder,
    database: path.join(folder, DATABASE),
    writer: new ParquetWriter(folder),
  })
}
