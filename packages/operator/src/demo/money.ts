// Amounts of the demo in whole cents: texts, discounts and taxes that add up to the cent.

/** One line of an order, as far as money goes. `rate` is in percent. */
export interface Priced {
  readonly cents: number
  readonly quantity: number
  readonly rate: number
}

/** Tax of all lines at one rate. `rate` is in percent, the keys are those of the specification. */
export interface RateShare {
  readonly rate: number
  readonly baseCents: number
  readonly taxCents: number
}

/** Cents as a decimal text with two decimals. */
export function centsText(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** Sum of the lines before discount, tax and shipping. */
export function subtotalOf(lines: readonly Priced[]): number {
  return lines.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0)
}

/** The tax on top of the lines by rate, highest rate first, after a discount that each rate bears by its share. */
export function taxByRate(lines: readonly Priced[], discount: number): RateShare[] {
  const subtotal = subtotalOf(lines)
  const rates = [...new Set(lines.map(({ rate }) => rate))].sort((a, b) => b - a)
  let discountLeft = discount
  return rates.map((rate, index) => {
    const gross = subtotalOf(lines.filter((line) => line.rate === rate))
    const share = index === rates.length - 1 ? discountLeft : Math.round((discount * gross) / subtotal)
    discountLeft -= share
    const baseCents = gross - share
    return { rate, baseCents, taxCents: Math.round((baseCents * rate) / 100) }
  })
}
