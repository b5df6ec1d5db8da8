"""Reads all orders with httpx, and checks them with models of datamodel-code-generator."""

import json
import os
import time

import httpx
from models import ErrorResponse, OrderList

ids = set()
guests = 0
waits = 0
query = {"limit": "100"}
with httpx.Client(base_url=os.environ["BASE_URL"], headers={"x-api-key": os.environ["STORE_EXPORT_KEY"]}) as client:
    while True:
        response = client.get("/api/v1/orders", params=query)
        if response.status_code == 429:
            waits += 1
            time.sleep(int(response.headers["retry-after"]))
            continue
        if response.status_code != 200:
            raise SystemExit(ErrorResponse.model_validate_json(response.content).error.message)
        page = OrderList.model_validate_json(response.content)
        for order in page.data:
            ids.add(order.id)
            guests += order.customer_id is None
        if page.meta.next_cursor is None:
            break
        query["cursor"] = page.meta.next_cursor
print(json.dumps({"orders": len(ids), "guests": guests, "waits": waits}))
