// Chooses the status of an order, and the payment and shipment that follow from it.

import { includesRevision, type ORDER_STATUSES } from '@store-export/contract'
import type { OrderSources } from './orders.ts'
import { pickAt } from './random.ts'
import type { Row } from './rows.ts'
import { DAY, HISTORY_END } from './timestamps.ts'
import { MANUAL_METHODS, SHIPPING_METHODS } from './words/texts.ts'

/** A status that the contract documents. */
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Unusual statuses by the number of the order modulo 50, so that even a small store has every status. */
const EXCEPTIONS: Readonly<Record<number, OrderStatus>> = {
  3: 'cancelled',
  9: 'refunded',
  15: 'return_requested',
  21: 'shipped',
  27: 'pending',
  33: 'refunded',
  39: 'paid',
  45: 'cancelled',
}

/**
 * Returns the status of order number `index`: that of `EXCEPTIONS`, or one that follows from its age. `createdAt` is in
 * microseconds since 1970. Orders of the last week are not delivered yet.
 */
export function statusOf(index: number, createdAt: number): OrderStatus {
  const exception = EXCEPTIONS[index % 50]
  if (exception !== undefined) return exception
  const days = (HISTORY_END - createdAt) / DAY
  if (days < 1) return 'pending'
  if (days < 3) return 'paid'
  return days < 7 ? 'shipped' : 'delivered'
}

/**
 * Returns the payment columns. From v1.1, about one order in eight is paid with a manual method, which has no IDs of a
 * payment processor.
 */
export function paymentOf({ shop, revision, methodIds, random }: OrderSources, status: OrderStatus): Row {
  if (includesRevision(revision, 'v1.1') && random.chance(0.12)) {
    const index = random.between(0, methodIds.length - 1)
    return {
      payment_provider: 'manual',
      payment_method_id: pickAt(methodIds, index),
      payment_method_label: pickAt(MANUAL_METHODS, index)[shop.locales[0]],
    }
  }
  const charged = status !== 'pending' && status !== 'cancelled'
  return {
    // Null for about one order in ten, as in stores whose old orders are older than the column.
    payment_provider: random.chance(0.9) ? 'processor' : null,
    processor_payment_intent_id: `pi_${random.code(24)}`,
    processor_charge_id: charged ? `ch_${random.code(24)}` : null,
    receipt_url: charged ? `https://receipts.${shop.host}/${random.code(20)}` : null,
  }
}

/** Returns the shipment columns. An order with pickup has no carrier. */
export function shipmentOf({ shop, random }: OrderSources, status: OrderStatus, pickup: boolean): Row {
  const locale = shop.locales[0]
  if (pickup) return { shipping_method: SHIPPING_METHODS.pickup[locale] }
  const shipping_method = SHIPPING_METHODS[random.chance(0.85) ? 'standard' : 'express'][locale]
  if (status === 'pending' || status === 'paid' || status === 'cancelled') return { shipping_method }
  const number = `${shop.country}${String(random.between(0, 999_999_999)).padStart(9, '0')}`
  return {
    shipping_method,
    carrier: shop.carrier,
    tracking_number: number,
    tracking_url: `https://track.${shop.host}/${number}`,
  }
}
