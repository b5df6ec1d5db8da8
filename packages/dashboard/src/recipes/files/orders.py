# Orders changed since a moment, oldest first, one JSON object a line. Needs Python 3.8 and nothing else; the variable
# STORE_EXPORT_KEY holds the key:
#   python3 orders.py 2026-07-01T00:00:00Z > orders.jsonl
# For the next run keep the moment at which this one began, once it ended well. Rows replace those with the same id.
import json
import os
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

ADDRESS = "https://api.example.com/api/v1/orders"
TRIES_MAX = 6


def get_page(since, cursor):
    query = {"limit": 250, "updated_since": since}
    if cursor is not None:
        query["cursor"] = cursor
    headers = {"x-api-key": os.environ["STORE_EXPORT_KEY"]}
    request = Request(ADDRESS + "?" + urlencode(query), headers=headers)
    for attempt in range(TRIES_MAX):
        try:
            with urlopen(request, timeout=60) as response:
                return json.load(response)
        except HTTPError as error:
            if error.code not in (409, 429, 502) or attempt == TRIES_MAX - 1:
                sys.exit(f"stopped with status {error.code}: {error.read().decode()}")
            retry_after = int(error.headers.get("Retry-After", "1"))
            time.sleep(retry_after if error.code == 429 else 2**attempt)


def changed_orders(since):
    page = get_page(since, None)
    yield from page["data"]
    while page["meta"]["has_more"]:
        page = get_page(since, page["meta"]["next_cursor"])
        yield from page["data"]


for order in changed_orders(sys.argv[1] if len(sys.argv) > 1 else "1970-01-01T00:00:00Z"):
    print(json.dumps(order))
