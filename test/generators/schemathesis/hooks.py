"""Changes valid requests in two cases that no schema can describe."""

import os

import httpx
import schemathesis

NO_ROW = "00000000-0000-4000-8000-000000000000"
REAL_CURSORS = {}


def real_cursor(path):
    """Returns the cursor of the second page; None if the list has one page."""
    if path not in REAL_CURSORS:
        headers = {"x-api-key": os.environ["STORE_EXPORT_KEY"]}
        query = {} if "/ids/" in path else {"limit": "1"}
        page = httpx.get(os.environ["BASE_URL"] + path, params=query, headers=headers).json()
        REAL_CURSORS[path] = page["meta"]["next_cursor"]
    return REAL_CURSORS[path]


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # The service accepts only the cursors that it has issued for the list.
    if "cursor" in (case.query or {}):
        cursor = real_cursor(case.path)
        if cursor is None:
            del case.query["cursor"]
        else:
            case.query["cursor"] = cursor
    # Schemathesis follows customer_id from an order to a customer. The customer_id of a guest is null.
    if str((case.path_parameters or {}).get("id", "")) == "None":
        case.path_parameters["id"] = NO_ROW
