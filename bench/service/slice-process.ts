// Reads one slice of the orders, in a process of its own.

import { LIMITS } from '@store-export/contract'
import { handleCalls } from '../lib/child-calls.ts'

/** A slice: the orders that match filters. */
export interface Slice {
  readonly url: string
  readonly key: string
  /** The filters, as a query string. */
  readonly slice: string
}

interface OrderPage {
  readonly data: readonly { readonly id: string }[]
  readonly meta: { readonly next_cursor: string | null }
}

handleCalls({ read }, async () => undefined)

/** Returns the IDs of the orders in the slice, as often as the service returns them. Rejects if a page fails. */
async function read({ url, key, slice }: Slice): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const position = cursor === '' ? '' : `&cursor=${cursor}`
    const response = await fetch(`${url}/api/v1/orders?limit=${LIMITS.pageRowsMax}&${slice}${position}`, {
      headers: { 'x-api-key': key },
    })
    if (response.status !== 200) throw new Error(`${response.status} for ${slice}`)
    const page = (await response.json()) as OrderPage
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.meta.next_cursor
  }
  return ids
}
