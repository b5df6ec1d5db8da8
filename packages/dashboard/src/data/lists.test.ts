import { ENDPOINTS } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { cellsOf, findList, LISTS, listPath, rowPath } from './lists.ts'
import { rowTexts } from './row-texts.ts'
import { Turns } from './turns.ts'

const EUR = { storeCurrency: 'EUR' }
const ID = '3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b'

/** Text of the cell that a row has at `place`, its list and the label of its column. */
async function cell(place: string, row: string, context: { storeCurrency: string | null } = EUR) {
  const [list = '', label] = place.split(' ')
  const declaration = findList(list)
  if (declaration === null) throw new Error(`no list ${list}`)
  const at = declaration.columns.findIndex((column) => column.label === label)
  const { texts } = await new Turns().run(rowTexts(Buffer.from(row), 0, declaration.shown))
  return cellsOf(declaration, texts, context)[at]?.text
}

describe('the lists of the Data pages', () => {
  test.each(LISTS)('$list shows only fields that the contract has, and is served by an endpoint', (declaration) => {
    const { resource, columns } = declaration
    for (const { fields } of columns)
      for (const name of fields) expect(Object.keys(resource.fields)).toContain(name.split('.')[0])
    expect(new Set(columns.map(({ label }) => label)).size).toBe(columns.length)
    expect(listPath(declaration)).toBe(`/api/v1/${declaration.list}`)
  })

  test('a row leads to its own endpoint where the API has one, else to its list', () => {
    const paths = LISTS.map((declaration) => rowPath(declaration, ID))
    expect(paths.slice(0, 3)).toEqual(['orders', 'customers', 'products'].map((name) => `/api/v1/${name}/${ID}`))
    expect(paths.slice(3)).toEqual(LISTS.slice(3).map(listPath))
    expect(ENDPOINTS.length).toBeGreaterThan(0)
  })

  test('an amount has the currency of the order, else of the store, else none', async () => {
    expect(await cell('orders Total', '{"total":"12.50","currency":"CHF"}')).toBe('12.50 CHF')
    expect(await cell('orders Total', '{"total":"12.50","currency":null}')).toBe('12.50 EUR')
    expect(await cell('orders Total', '{"total":"12.50","currency":null}', { storeCurrency: null })).toBe('12.50')
  })

  test('no payment provider means by card; a manual one has its own name', async () => {
    expect(await cell('orders Payment', '{"payment_provider":null}')).toBe('card')
    expect(await cell('orders Payment', '{"payment_provider":"manual","payment_method_label":"Vorkasse"}')).toBe(
      'Vorkasse',
    )
    expect(await cell('orders Payment', '{"payment_provider":"manual","payment_method_label":null}')).toBe('manual')
  })

  test('stock is that of the product, or the sum over its variants', async () => {
    expect(await cell('products Stock', '{"inventory":7,"variants":[]}')).toBe('7')
    expect(await cell('products Stock', '{"inventory":null,"variants":[]}')).toBeNull()
    expect(await cell('products Stock', '{"inventory":null,"variants":[{"inventory":2},{"inventory":-5}]}')).toBe('-3')
  })

  test('there are no other lists', () => {
    for (const name of ['', 'store', 'order', 'Orders', 'customer-addresses', '__proto__', 'orders.csv'])
      expect(findList(name)).toBeNull()
  })
})
