# Keeps the orders of the store in orders.jsonl, one JSON object per line. A line replaces earlier lines with the same id.
# Needs Python 3.8 or later. Set the environment variable STORE_EXPORT_KEY to your key, then run:
#   python3 orders.py
# The first run reads all orders, and later runs read changes. orders.state stores the progress, so that the next run
# continues after a run that was killed. To start again, delete both files.
import json
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

ADDRESS = "https://api.example.com/api/v1/orders"
ROWS, STATE = "orders.jsonl", "orders.state"
ATTEMPTS_MAX, ATTEMPTS_TO_CONNECT_MAX = 8, 4


def get_page(since, cursor):
    query = {"limit": 250, "updated_since": since}
    if cursor is not None:
        query["cursor"] = cursor
    request = Request(ADDRESS + "?" + urlencode(query), headers={"x-api-key": os.environ.get("STORE_EXPORT_KEY", "")})
    for attempt in range(1, ATTEMPTS_MAX + 1):
        attempts_max, wait = ATTEMPTS_MAX, min(60, 2 ** (attempt - 1))
        try:
            with urlopen(request, timeout=60) as response:
                return json.load(response), response.headers["x-sync-watermark"]
        except HTTPError as error:
            message = f"status {error.code}: {error.read().decode()}"
            if "INVALID_CURSOR" in message and cursor is not None:
                return get_page(since, None)
            wait = int(error.headers.get("Retry-After", wait))
            if error.code not in (408, 409, 429, 502, 503, 504):
                sys.exit(f"stopped: {message}")
        except (OSError, HTTPException, ValueError) as error:
            message, attempts_max = f"no response from {ADDRESS}: {error}", ATTEMPTS_TO_CONNECT_MAX
        if attempt == attempts_max:
            sys.exit(f"stopped: {message}")
        print(f"waits {wait} s: {message}", file=sys.stderr)
        time.sleep(wait)


def load_state():
    if os.path.exists(STATE) and os.path.exists(ROWS):
        with open(STATE) as file:
            state = json.load(file)
        if os.path.getsize(ROWS) >= state["bytes"]:
            return state
    return {"since": "1970-01-01T00:00:00Z", "cursor": None, "bytes": 0}


# The rename is atomic, so a killed run leaves the old state or the new one.
def save_state(state):
    with open(STATE + ".new", "w") as file:
        json.dump(state, file)
    os.replace(STATE + ".new", STATE)


state, count, has_more = load_state(), 0, True
with open(ROWS, "ab") as rows:
    # A killed run may have left part of a page.
    rows.truncate(state["bytes"])
    while has_more:
        page, watermark = get_page(state["since"], state["cursor"])
        for order in page["data"]:
            rows.write(json.dumps(order).encode() + b"\n")
        rows.flush()
        count, has_more = count + len(page["data"]), page["meta"]["has_more"]
        state["bytes"] = os.path.getsize(ROWS)
        state["cursor"] = page["meta"]["next_cursor"]
        # Save the watermark only when all pages are written.
        if not has_more:
            state["since"] = watermark
        save_state(state)
print(f"{count} orders; the next run requests changes since {state['since']}", file=sys.stderr)
