"""Prints the rows of tables in a database as lines of JSON: [table, row]. Values have the form of the API.

Usage: dump.py (duckdb|postgres|sqlite) DATABASE SCHEMA TABLE...
"""

import datetime
import decimal
import json
import sys


def value_text(value):
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        utc = value.astimezone(datetime.timezone.utc) if value.tzinfo else value
        return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03}Z"
    return str(value)


def connect(kind, database):
    if kind == "duckdb":
        import duckdb

        return duckdb.connect(database, read_only=True)
    if kind == "postgres":
        import psycopg2

        return psycopg2.connect(database)
    import sqlite3

    return sqlite3.connect(database)


kind, database, schema, *tables = sys.argv[1:]
cursor = connect(kind, database).cursor()
if kind == "sqlite":
    cursor.execute("select name from sqlite_master where type = 'table'")
else:
    cursor.execute(f"select table_name from information_schema.tables where table_schema = '{schema}'")
present = {name for (name,) in cursor.fetchall()}
# A tool creates no table for a list without rows.
for table in present.intersection(tables):
    cursor.execute(f'select * from {schema + "." if schema else ""}"{table}"')
    names = [column[0] for column in cursor.description]
    for row in cursor.fetchall():
        print(json.dumps([table, dict(zip(names, row))], default=value_text))
