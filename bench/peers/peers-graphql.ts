// Declares the queries for PostGraphile: every field of an order and of its items, by PostGraphile's names.

const ITEM = 'rowId orderId productId variantId name price quantity attributes createdAt'

// The alias is the name that the service uses. PostGraphile's own `id` identifies rows of all tables.
const ORDER = `id: rowId customerId email status subtotal tax taxBreakdown shipping total currency refundAmount
  returnReason discountCode discountAmount paymentProvider paymentMethodId paymentMethodLabel pickupLocationId
  shippingAddress billingAddress processorPaymentIntentId processorChargeId receiptUrl trackingNumber trackingUrl carrier
  shippingMethod locale metafields createdAt updatedAt orderItemsByOrderId { nodes { ${ITEM} } }`

const LIST = 'allOrders(first: $first, after: $after, orderBy: [CREATED_AT_ASC, ROW_ID_ASC])'

/** Query for a page of `first` orders after `after`. */
export const POSTGRAPHILE_PAGE = `query ($first: Int!, $after: Cursor) {
  ${LIST} { nodes { ${ORDER} } pageInfo { endCursor hasNextPage } } }`

/** Query for the cursor at the end of such a page, without its rows. */
export const POSTGRAPHILE_ENDS = `query ($first: Int!, $after: Cursor) { ${LIST} { pageInfo { endCursor } } }`

/** Query for one order. */
export const POSTGRAPHILE_ROW = `query ($id: UUID!) { orderByRowId(rowId: $id) { ${ORDER} } }`
