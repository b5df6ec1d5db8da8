// Calculates the amounts of the demo in whole cents. Discounts and taxes add up to the cent.

/** An order line. `cents` is the price of one piece before tax, and `rate` is the tax rate in percent. */
export interface Priced {
  readonly cents: number
  readonly quantity: number
  readonly rate: number
}

/**
 * An entry of `tax_breakdown`, with the keys that the specification names: the tax of all lines with one rate. `rate`
 * is in percent.
 */
export interface RateShare {
  readonly rate: number
  readonly baseCents: number
  readonly taxCents: number
}

/** Returns a nonnegative amount as a decimal string with two decimals. */
export function centsText(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** Returns the sum of the line amounts before discount, tax, and shipping, in cents. */
export function subtotalOf(lines: readonly Priced[]): number {
  return lines.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0)
}

/** Returns the tax by rate, highest rate first. Divides `discount` among the rates in proportion to their sums. */
export function taxByRate(lines: readonly Priced[], discount: number): RateShare[] {
  const subtotal = subtotalOf(lines)
  const rates = [...new Set(lines.map(({ rate }) => rate))].sort((a, b) => b - a)
  let discountLeft = discount
  return rates.map((rate, index) => {
    const gross = subtotalOf(lines.filter((line) => line.rate === rate))
    // The last rate gets the rest, so that the shares add up to the discount.
    const share = index === rates.length - 1 ? discountLeft : Math.round((discount * gross) / subtotal)
    discountLeft -= share
    const baseCents = gross - share
    return { rate, baseCents, taxCents: Math.round((baseCents * rate) / 100) }
  })
}
