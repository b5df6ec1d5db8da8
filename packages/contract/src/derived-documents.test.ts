// Tests the documents that are generated from the contract. Each test adds one declaration to the contract, and each
// document must contain it.

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

/** Returns the documents that are derived from a variant of the contract. */
function documentsOf(variant: Partial<Contract>): { openApi: string; types: string; markdown: string } {
  return {
    openApi: JSON.stringify(openapi(variant)),
    types: typescriptTypes(variant),
    markdown: referencePage(variant),
  }
}

describe('documents that are generated from the contract', () => {
  it('[VER-1, VER-2] if a new schema version adds a field, the OpenAPI document, the types, and the reference page have the field', () => {
    // The type does not include a future revision.
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

  it('[VER-1] if an endpoint adds a resource, the OpenAPI document, the types, and the reference page have the resource', () => {
    const giftCard = resource({
      name: 'Gift card',
      plural: 'gift cards',
      table: 'gift_cards',
      note: 'A gift card that was sold.',
      fields: { id: uuid('Gift card ID'), code: text('Last four characters'), created_at: timestamp('Time of sale') },
    })
    const added = page({ id: 'listGiftCards', path: '/gift-cards', resource: giftCard, filters: ['created_since'] })
    const { openApi, types, markdown } = documentsOf({ endpoints: [...ENDPOINTS, added] })
    expect(openApi).toContain('"/api/v1/gift-cards":{"get":{"operationId":"listGiftCards"')
    expect(openApi).toContain('"GiftCardList":')
    expect(types).toContain('export interface GiftCard {')
    expect(markdown).toContain('| `GET /api/v1/gift-cards` | page of Gift card | `limit`, `cursor`, `created_since` |')
    expect(markdown).toContain('### Gift card\n')
  })

  it('[ERR-1] if an error code is added to the contract, the OpenAPI document, the types, and the reference page have the code', () => {
    const asleep: ErrorDeclaration = {
      status: 503,
      returnedBy: 'every',
      condition: 'The store is asleep.',
      retry: 'Yes, after a few seconds.',
      fix: 'Try again after a few seconds.',
      mistakes: ['The client does not retry.'],
    }
    const { openApi, types, markdown } = documentsOf({ errors: { ...ERRORS, STORE_ASLEEP: asleep } })
    expect(openApi).toContain('"503":{"$ref":"#/components/responses/StoreAsleepResponse"}')
    expect(openApi).toContain('"error":{"code":"STORE_ASLEEP","message":"The store is asleep."}')
    expect(types).toContain("'STORE_ASLEEP'")
    expect(markdown).toContain('| 503 | [STORE_ASLEEP](../errors/STORE_ASLEEP.md) | The store is asleep. |')
    expect(errorPage('STORE_ASLEEP', asleep)).toContain('- The client does not retry.')
  })
})
