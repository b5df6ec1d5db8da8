// A copy as a folder of Parquet files, typed, for pandas, DuckDB, Spark and Power BI. Whoever uses the library sees this, and
// not the writer: its types are those of a package that not everybody has.

import path from 'node:path'
import { FileCopy } from './files.ts'
import { ParquetWriter } from './parquet-writer.ts'

/** A folder may hold CSV files as well: a copy of another kind has its own state. */
const DATABASE = '.store-sync-parquet.db'

/** A copy in `folder`, made where it is missing: a file for each table, and its database. Needs `@duckdb/node-api`. */
export function parquetCopy(folder: string): FileCopy {
  return new FileCopy({
    name: folder,
    database: path.join(folder, DATABASE),
    writer: new ParquetWriter(folder),
  })
}
