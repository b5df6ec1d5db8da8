"""Reads all orders with a client of openapi-python-client."""

import json
import os
import time

from store_client import AuthenticatedClient
from store_client.api.orders import list_orders
from store_client.models import OrderList
from store_client.types import UNSET

client = AuthenticatedClient(
    base_url=os.environ["BASE_URL"], token=os.environ["STORE_EXPORT_KEY"], prefix="", auth_header_name="x-api-key"
)
ids = set()
guests = 0
waits = 0
cursor = UNSET
while True:
    response = list_orders.sync_detailed(client=client, limit=100, cursor=cursor)
    if response.status_code == 429:
        waits += 1
        time.sleep(int(response.headers["retry-after"]))
        continue
    page = response.parsed
    if not isinstance(page, OrderList):
        raise SystemExit(f"{response.status_code}: {page}")
    for order in page.data:
        ids.add(order.id)
        guests += order.customer_id is None
    if page.meta.next_cursor is None:
        break
    cursor = page.meta.next_cursor
print(json.dumps({"orders": len(ids), "guests": guests, "waits": waits}))
