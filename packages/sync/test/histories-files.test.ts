// Random histories of CSV, XLSX and Parquet copies: see support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { csvDestinations, xlsxDestinations } from './support/destinations.ts'
import { parquetDestinations } from './support/parquet-destinations.ts'

describeHistories('a folder of CSV files', 12, csvDestinations)
describeHistories('an XLSX workbook', 12, xlsxDestinations)
describeHistories('a folder of Parquet files', 12, parquetDestinations)
