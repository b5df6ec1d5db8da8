# Orders changed since a moment, oldest first, one JSON object a line. Needs Python 3.8 and nothing else; the variable
# STORE_EXPORT_KEY holds the key:
#   python3 orders.py 2026-07-01T00:00:00Z > orders.jsonl
# At its end it names the moment to give to the next run, so that no change is missed. Rows replace those with the same id.
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
                return json.load(response), response.headers["x-sync-watermark"]
        except HTTPError as error:
            if error.code not in (409, 429, 502) or attempt == TRIES_MAX - 1:
                sys.exit(f"stopped with status {error.code}: {error.read().decode()}")
            retry_after = int(error.headers.get("Retry-After", "1"))
            time.sleep(retry_after if error.code == 429 else 2**attempt)


since = sys.argv[1] if len(sys.argv) > 1 else "1970-01-01T00:00:00Z"
cursor, has_more = None, True
while has_more:
    page, watermark = get_page(since, cursor)
    for order in page["data"]:
        print(json.dumps(order))
    cursor, has_more = page["meta"]["next_cursor"], page["meta"]["has_more"]
print("next run: python3 orders.py", watermark, file=sys.stderr)
