"""Loads a store into a DuckDB file, and prints the rows of each table, and how many of them this run has read."""

import os

import dlt
from store_export_dlt import remove_deleted, store_export

pipeline = dlt.pipeline("shop", destination="duckdb", dataset_name="store_export")
pipeline.run(store_export(os.environ["STORE_EXPORT_URL"], os.environ["STORE_EXPORT_KEY"]))
read = pipeline.last_trace.last_normalize_info.row_counts
remove_deleted(pipeline)

print(f"{'table':20}{'rows':>8}{'read':>8}")
with pipeline.sql_client() as client:
    for table in pipeline.default_schema.data_tables(seen_data_only=True):
        [(rows,)] = client.execute_sql(f"select count(*) from {client.make_qualified_table_name(table['name'])}")
        print(f"{table['name']:20}{rows:>8}{read.get(table['name'], 0):>8}")
