"""Reads all orders with a Python client of openapi-generator. Its HTTP library waits for Retry-After by itself."""

import json
import os

import store_client

configuration = store_client.Configuration(host=os.environ["BASE_URL"], api_key={"storeKey": os.environ["STORE_EXPORT_KEY"]})
ids = set()
guests = 0
cursor = None
with store_client.ApiClient(configuration) as client:
    orders = store_client.OrdersApi(client)
    while True:
        page = orders.list_orders(limit=100, cursor=cursor)
        for order in page.data:
            ids.add(order.id)
            guests += order.customer_id is None
        if page.meta.next_cursor is None:
            break
        cursor = page.meta.next_cursor
print(json.dumps({"orders": len(ids), "guests": guests}))
