// A new field, endpoint or error code is declared in one place: the contract variant of each test differs in that one
// declaration, and every document shows it.

import { describe, expect, it } from 'vitest'
import type { Contract } from './contract.ts'
import { ENDPOINTS, page } from './endpoints.ts'
import { ERRORS, type ErrorDeclaration } from './errors.ts'
import { text, timestamp, uuid } from './field.ts'
import { errorPage, referencePage } from './markdown.ts'
import { openapi } from './openapi.ts'
import { resource } from './resource.ts'
import { order } from './resources/order.ts'
import { REVISIONS, type RevisionId } from './revisions.ts'
import { typescriptTypes } from './typescript.ts'

/** The derived documents of a variant, as text. */
function documentsOf(variant: Partial<Contract>): { openApi: string; types: string; markdown: string } {
  return {
    openApi: JSON.stringify(openapi(variant)),
    types: typescriptTypes(variant),
    markdown: referencePage(variant),
  }
}

describe('one place', () => {
  it('[VER-1, VER-2] a field of v1.7 is one line of the resource, beside the line of its revision', () => {
    // a revision that the history does not have yet, so its type cannot name it
    const next = 'v1.7' as RevisionId
    const fields = { ...order.fields, gift_message: text('What the buyer writes on the card').from(next) }
    const variant: Partial<Contract> = {
      endpoints: ENDPOINTS.map((each) =>
        each.resource === order ? { ...each, resource: { ...order, fields } } : each,
      ),
      revisions: [...REVISIONS, { id: next, date: '2026-12-01', summary: 'Order gift_message' }],
    }
    const { openApi, types, markdown } = documentsOf(variant)
    expect(openApi).toContain('"version":"v1.7"')
    expect(openApi).toContain(
      '"gift_message":{"type":["string","null"],"description":"What the buyer writes on the card. null on stores older than v1.7.","x-since":"v1.7"}',
    )
    expect(types).toContain('gift_message: string | null')
    expect(markdown).toContain('| `gift_message` | string or null |')
    expect(markdown).toContain('| v1.7 | 2026-12-01 | Order gift_message |')
  })

  it('[VER-1] an endpoint is one file of its resource and one line of the list', () => {
    const coupon = resource({
      name: 'Gift card',
      plural: 'gift cards',
      table: 'gift_cards',
      note: 'A gift card that was sold.',
      fields: { id: uuid('Gift card id'), code: text('Last four characters'), created_at: timestamp('When sold') },
    })
    const added = page({ id: 'listGiftCards', path: '/gift-cards', resource: coupon, filters: ['created_since'] })
    const { openApi, types, markdown } = documentsOf({ endpoints: [...ENDPOINTS, added] })
    expect(openApi).toContain('"/api/v1/gift-cards":{"get":{"operationId":"listGiftCards"')
    expect(openApi).toContain('"GiftCardList":')
    expect(types).toContain('export interface GiftCard {')
    expect(markdown).toContain('| `GET /api/v1/gift-cards` | page of Gift card | `limit`, `cursor`, `created_since` |')
    expect(markdown).toContain('### Gift card\n')
  })

  it('[ERR-1] an error code is one entry', () => {
    const asleep: ErrorDeclaration = {
      status: 503,
      returnedBy: 'every',
      condition: 'The store is asleep.',
      retry: 'Yes, after it has woken.',
      fix: 'Ask again in a few seconds.',
      mistakes: ['The first answer was taken for the last.'],
    }
    const { openApi, types, markdown } = documentsOf({ errors: { ...ERRORS, STORE_ASLEEP: asleep } })
    expect(openApi).toContain('"503":{"$ref":"#/components/responses/STORE_ASLEEP"}')
    expect(openApi).toContain('"error":{"code":"STORE_ASLEEP","message":"The store is asleep."}')
    expect(types).toContain("'STORE_ASLEEP'")
    expect(markdown).toContain('| 503 | [STORE_ASLEEP](../errors/STORE_ASLEEP.md) | The store is asleep. |')
    expect(errorPage('STORE_ASLEEP', asleep)).toContain('- The first answer was taken for the last.')
  })
})
