// Tests random histories of DuckDB, CSV, XLSX, and Parquet copies. A history is described in support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { csvDestinations, xlsxDestinations } from './support/destinations.ts'
import { duckDbDestinations } from './support/duckdb-files.ts'
import { parquetDestinations } from './support/parquet-destinations.ts'

describeHistories('random histories of a DuckDB file', 12, duckDbDestinations)
describeHistories('random histories of a folder of CSV files', 12, csvDestinations)
describeHistories('random histories of an XLSX workbook', 12, xlsxDestinations)
describeHistories('random histories of a folder of Parquet files', 12, parquetDestinations)
