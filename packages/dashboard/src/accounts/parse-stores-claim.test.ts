import { expect, test } from 'vitest'
import { parseStoresClaim } from './parse-stores-claim.ts'

test('if an element of a stores claim names a role, parseStoresClaim returns this role, and otherwise the role admin', () => {
  const objects = [{ store: 'shop-2', role: 'viewer' }, { store: 'shop-3' }, { store: 'shop-4', role: 'developer' }]
  expect(parseStoresClaim(['shop-1', ...objects])).toEqual([
    { reference: 'shop-1', role: 'admin' },
    { reference: 'shop-2', role: 'viewer' },
    { reference: 'shop-3', role: 'admin' },
    { reference: 'shop-4', role: 'developer' },
  ])
})

test.each([[undefined], [null], ['shop-1'], [{ store: 'shop-1' }], [[1, null, {}, { store: 1 }, ['shop-1']]]])(
  'if a stores claim is %j, parseStoresClaim returns no stores',
  (claim) => {
    expect(parseStoresClaim(claim)).toEqual([])
  },
)

test('if an element of a stores claim has a role other than admin, developer, or viewer, parseStoresClaim ignores the element', () => {
  expect(
    parseStoresClaim([
      { store: 'shop-1', role: 'owner' },
      { store: 'shop-2', role: 7 },
    ]),
  ).toEqual([])
})
