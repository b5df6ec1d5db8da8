// Tests random histories of DuckDB, CSV, XLSX, and Parquet copies. A history is described in support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { csvDestinations, xlsxDestinations } from './support/destinations.ts'
import { duckDbDestinations } from './support/duckdb-files.ts'
import { parquetDestinations } from './support/parquet-destinations.ts'

describeHistories('a DuckDB file', 12, duckDbDestinations)
describeHistories('a folder of CSV files', 12, csvDestinations)
describeHistories('an XLSX workbook', 12, xlsxDestinations)
describeHistories('a folder of Parquet files', 12, parquetDestinations)
