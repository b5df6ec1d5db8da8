"""Reads one store: changed rows of orders, customers, and products, and the other lists as a whole."""

from typing import Any, Dict, Iterator

import dlt
from dlt.sources.helpers.requests.retry import DEFAULT_RETRY_STATUS, Client
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import APIKeyAuth
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator
from requests import HTTPError

from .contract import TABLES

_ROWS_PER_PAGE = 250
# dlt waits for the seconds in `Retry-After`. By itself, it repeats neither a 408 nor a 409.
_RETRIED_STATUSES = (408, 409, *DEFAULT_RETRY_STATUS)

# New fields and tables of the service become new columns and tables. A value of another type fails the load: without
# this rule, dlt would store amounts of money in a second column.
_SCHEMA_CONTRACT = {"tables": "evolve", "columns": "evolve", "data_type": "freeze"}


@dlt.source(name="store_export", section="store_export", max_table_nesting=1)
def store_export(url: str = dlt.config.value, key: str = dlt.secrets.value) -> Any:
    """Returns a resource for each table, and `<table>_ids` for each table of which a run reads only the changes.

    A run fails if the service is too old for a parameter.

    Args:
        url: Address of the service, such as `https://export.example.com`.
        key: API key of the store.
    """
    client = RESTClient(
        base_url=url.rstrip("/"),
        auth=APIKeyAuth(name="x-api-key", api_key=key, location="header"),
        paginator=JSONResponseCursorPaginator(cursor_path="meta.next_cursor", cursor_param="cursor"),
        session=Client(raise_for_status=False, status_codes=_RETRIED_STATUSES).session,
    )
    for name, table in TABLES.items():
        yield _rows_resource(client, name, table)
        if table["ids_path"] is not None:
            yield _ids_resource(client, name, table["ids_path"])


def _rows_resource(client: RESTClient, name: str, table: dict) -> Any:
    is_merged = table["kind"] == "merge"
    return dlt.resource(
        {"object": _read_object, "replace": _read_list, "merge": _read_changes}[table["kind"]],
        name=name,
        primary_key="id",
        write_disposition="merge" if is_merged else "replace",
        columns=table["columns"],
        schema_contract=_SCHEMA_CONTRACT,
        nested_hints={
            field: dlt.mark.make_nested_hints(columns=columns, schema_contract=_SCHEMA_CONTRACT)
            for field, columns in table["nested"].items()
        },
    )(client, table["path"])


def _ids_resource(client: RESTClient, name: str, path: str) -> Any:
    return dlt.resource(
        _read_ids,
        name=f"{name}_ids",
        primary_key="id",
        write_disposition="replace",
        columns={"id": {"data_type": "text"}, "updated_at": {"data_type": "timestamp"}},
        schema_contract=_SCHEMA_CONTRACT,
    )(client, path)


def _read_object(client: RESTClient, path: str) -> Iterator[Any]:
    yield client.get(path).json()["data"]


def _read_list(client: RESTClient, path: str) -> Iterator[Any]:
    yield from _pages(client, path, {"limit": _ROWS_PER_PAGE})


def _read_ids(client: RESTClient, path: str) -> Iterator[Any]:
    yield from _pages(client, path, {})


def _read_changes(
    client: RESTClient,
    path: str,
    # dlt saves the greatest `updated_at` that it has seen. `primary_key=()` turns off its removal of rows that have
    # exactly this time: such a row can have changed again within the same millisecond.
    updated_at: dlt.sources.incremental[str] = dlt.sources.incremental(
        "updated_at", primary_key=(), on_cursor_value_missing="include"
    ),
) -> Iterator[Any]:
    # `updated_until=now` ends the list at its watermark. Without it, a transaction that commits late would be lost.
    params = {"limit": _ROWS_PER_PAGE, "updated_until": "now"}
    if updated_at.last_value is not None:
        params["updated_since"] = updated_at.last_value
    try:
        yield from _pages(client, path, params)
    except HTTPError as error:
        if not _tracks_no_updates(error):
            raise
        yield from _read_list(client, path)


def _pages(client: RESTClient, path: str, params: Dict[str, Any]) -> Iterator[Any]:
    for page in client.paginate(path, params=params, data_selector="data"):
        # A service that is too old for a parameter ignores it, and returns other rows than requested.
        ignored = page.response.headers.get("x-ignored-params")
        if ignored is not None:
            raise ValueError(f"{path} ignored the parameters {ignored}; use a newer service")
        yield page


def _tracks_no_updates(error: HTTPError) -> bool:
    """Whether the service rejected the window, because the store does not track changes of this list.

    Every 400 except for an invalid cursor counts. The run then reads the whole list.
    """
    response = error.response
    return response.status_code == 400 and response.json()["error"]["code"] != "INVALID_CURSOR"
