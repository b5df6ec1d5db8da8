// Generated from the contract. Do not edit: change the contract and run `npm run generate`.

import type { StoreResource } from '../nodes/StoreExport/resource.ts'

/** Every resource of the service. */
export const RESOURCES: readonly StoreResource[] = [
  {
    "value": "store",
    "name": "Store",
    "plural": "stores",
    "listPath": null,
    "onePath": "/api/v1/store",
    "idsPath": null,
    "filters": []
  },
  {
    "value": "order",
    "name": "Order",
    "plural": "orders",
    "listPath": "/api/v1/orders",
    "onePath": "/api/v1/orders/{id}",
    "idsPath": "/api/v1/ids/orders",
    "filters": [
      {
        "name": "updated_since",
        "description": "Returns only rows whose updated_at is this time or later",
        "kind": "time",
        "choices": []
      },
      {
        "name": "updated_until",
        "description": "Returns only rows whose updated_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send now, and use the greatest updated_at in the list as the updated_since of your next sync.",
        "kind": "windowEnd",
        "choices": []
      },
      {
        "name": "created_since",
        "description": "Returns only rows whose created_at is this time or later. Works on all stores.",
        "kind": "time",
        "choices": []
      },
      {
        "name": "created_until",
        "description": "Returns only rows whose created_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. Works on all stores.",
        "kind": "windowEnd",
        "choices": []
      },
      {
        "name": "status",
        "description": "Returns only rows with this status",
        "kind": "choice",
        "choices": [
          "pending",
          "paid",
          "shipped",
          "delivered",
          "cancelled",
          "refunded",
          "return_requested"
        ]
      }
    ]
  },
  {
    "value": "customer",
    "name": "Customer",
    "plural": "customers",
    "listPath": "/api/v1/customers",
    "onePath": "/api/v1/customers/{id}",
    "idsPath": "/api/v1/ids/customers",
    "filters": [
      {
        "name": "created_since",
        "description": "Returns only rows whose created_at is this time or later. Works on all stores.",
        "kind": "time",
        "choices": []
      },
      {
        "name": "created_until",
        "description": "Returns only rows whose created_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. Works on all stores.",
        "kind": "windowEnd",
        "choices": []
      },
      {
        "name": "updated_since",
        "description": "Returns only rows whose updated_at is this time or later",
        "kind": "time",
        "choices": []
      },
      {
        "name": "updated_until",
        "description": "Returns only rows whose updated_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send now, and use the greatest updated_at in the list as the updated_since of your next sync.",
        "kind": "windowEnd",
        "choices": []
      }
    ]
  },
  {
    "value": "customerAddress",
    "name": "Customer Address",
    "plural": "customer addresses",
    "listPath": "/api/v1/customer-addresses",
    "onePath": null,
    "idsPath": null,
    "filters": [
      {
        "name": "updated_since",
        "description": "Returns only rows whose updated_at is this time or later",
        "kind": "time",
        "choices": []
      },
      {
        "name": "updated_until",
        "description": "Returns only rows whose updated_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send now, and use the greatest updated_at in the list as the updated_since of your next sync.",
        "kind": "windowEnd",
        "choices": []
      },
      {
        "name": "created_since",
        "description": "Returns only rows whose created_at is this time or later. Works on all stores.",
        "kind": "time",
        "choices": []
      },
      {
        "name": "created_until",
        "description": "Returns only rows whose created_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. Works on all stores.",
        "kind": "windowEnd",
        "choices": []
      }
    ]
  },
  {
    "value": "customerGroup",
    "name": "Customer Group",
    "plural": "customer groups",
    "listPath": "/api/v1/customer-groups",
    "onePath": null,
    "idsPath": "/api/v1/ids/customer-groups",
    "filters": []
  },
  {
    "value": "location",
    "name": "Location",
    "plural": "locations",
    "listPath": "/api/v1/locations",
    "onePath": null,
    "idsPath": "/api/v1/ids/locations",
    "filters": []
  },
  {
    "value": "product",
    "name": "Product",
    "plural": "products",
    "listPath": "/api/v1/products",
    "onePath": "/api/v1/products/{id}",
    "idsPath": "/api/v1/ids/products",
    "filters": [
      {
        "name": "updated_since",
        "description": "Returns only rows whose updated_at is this time or later",
        "kind": "time",
        "choices": []
      },
      {
        "name": "updated_until",
        "description": "Returns only rows whose updated_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send now, and use the greatest updated_at in the list as the updated_since of your next sync.",
        "kind": "windowEnd",
        "choices": []
      },
      {
        "name": "created_since",
        "description": "Returns only rows whose created_at is this time or later. Works on all stores.",
        "kind": "time",
        "choices": []
      },
      {
        "name": "created_until",
        "description": "Returns only rows whose created_at is before this time, or before the value of the header x-sync-watermark if that is earlier. now stands for the value of that header. Repeat this parameter on each page. Works on all stores.",
        "kind": "windowEnd",
        "choices": []
      },
      {
        "name": "status",
        "description": "Returns only rows with this status",
        "kind": "choice",
        "choices": [
          "draft",
          "active",
          "archived"
        ]
      }
    ]
  },
  {
    "value": "category",
    "name": "Category",
    "plural": "categories",
    "listPath": "/api/v1/categories",
    "onePath": null,
    "idsPath": "/api/v1/ids/categories",
    "filters": []
  }
]
