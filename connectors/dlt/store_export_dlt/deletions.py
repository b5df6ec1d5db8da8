"""Removes rows that the store has deleted from a destination."""

from typing import Any, Dict

from .contract import TABLES

# Rows of the latest load stay: the store can create a row while the service returns the list of IDs.
# If the list is empty, all rows stay: a table can look empty by mistake.
_DELETED_ROWS = """
delete from {rows}
where id not in (select id from {ids})
  and _dlt_load_id < (select max(_dlt_load_id) from {ids})
"""
_NESTED_ROWS = "delete from {nested} where _dlt_parent_id not in (select _dlt_id from {rows})"


def remove_deleted(pipeline: Any) -> Dict[str, int]:
    """Removes rows that the store has deleted, and returns their number by table. Call it after each run."""
    # The destination has no table for a list that had no rows so far.
    present = {table["name"] for table in pipeline.default_schema.data_tables(seen_data_only=True)}
    removed = {}
    for table, declared in TABLES.items():
        if table in present and f"{table}_ids" in present:
            nested = [f"{table}__{field}" for field in declared["nested"]]
            removed[table] = _remove(pipeline, table, [name for name in nested if name in present])
    return removed


def _remove(pipeline: Any, table: str, nested: list) -> int:
    with pipeline.sql_client() as client, client.begin_transaction():
        rows, ids = (client.make_qualified_table_name(name) for name in (table, f"{table}_ids"))
        before = _count(client, rows)
        client.execute_sql(_DELETED_ROWS.format(rows=rows, ids=ids))
        for name in nested:
            client.execute_sql(_NESTED_ROWS.format(nested=client.make_qualified_table_name(name), rows=rows))
        return before - _count(client, rows)


def _count(client: Any, table: str) -> int:
    return client.execute_sql(f"select count(*) from {table}")[0][0]
