import { boolean, ENDPOINTS, integer, page, resource, text, timestamp, uuid } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { localizationIn } from '../texts/languages.ts'
import { type CellContext, cellsOf, findList, LISTS, listsOf, rowPath, searchedFields } from './lists.ts'
import { rowTexts } from './row-texts.ts'
import { TimeSlicer } from './time-slicer.ts'

const EUR: CellContext = { storeCurrency: 'EUR', texts: localizationIn('en').texts, names: new Map() }
const ID = '3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b'

/** Returns a cell. `column` is the list and the label, such as "orders Total". */
async function cellIn(column: string, row: string, context = EUR) {
  const [list = '', label] = column.split(' ')
  const declaration = findList(list)
  if (declaration === null) throw new Error(`no list ${list}`)
  const at = declaration.columns.findIndex((column) => column.label === label)
  const { texts } = await new TimeSlicer().run(rowTexts(Buffer.from(row), 0, declaration.tableResource))
  return cellsOf(declaration, texts, context)[at]
}

/** Returns the text of a cell. */
const cell = async (column: string, row: string) => (await cellIn(column, row))?.text

describe('the lists of the Data pages', () => {
  test.each(LISTS)(
    'in the list $list, columns have unique labels and show only fields of the API contract',
    (declaration) => {
      const { resource, columns } = declaration
      for (const { fields } of columns)
        for (const name of fields) expect(Object.keys(resource.fields)).toContain(name.split('.')[0])
      expect(new Set(columns.map(({ label }) => label)).size).toBe(columns.length)
      expect(declaration.path).toBe(`/api/v1/${declaration.list}`)
    },
  )

  test('for orders, customers, and products, rowPath returns the API path of the row; for other resources, the API path of the list', () => {
    const paths = LISTS.map((declaration) => rowPath(declaration, ID))
    expect(paths.slice(0, 3)).toEqual(['orders', 'customers', 'products'].map((name) => `/api/v1/${name}/${ID}`))
    expect(paths.slice(3)).toEqual(LISTS.slice(3).map(({ path }) => path))
    expect(ENDPOINTS.length).toBeGreaterThan(0)
  })

  test("if an order has no currency, the Total column uses the store's currency, or no currency if the store has none", async () => {
    const total = (currency: string, context = EUR) =>
      cellIn('orders Total', `{"total":"12.50","currency":${currency}}`, context)
    expect(await total('"CHF"')).toEqual({ kind: 'money', text: '12.50', currency: 'CHF' })
    expect(await total('null')).toEqual({ kind: 'money', text: '12.50', currency: 'EUR' })
    expect(await total('null', { ...EUR, storeCurrency: null })).toEqual({ kind: 'money', text: '12.50' })
  })

  test(`the Payment column shows "card" if payment_provider is null; for a manual payment, the column shows the payment method's label, or else "manual"`, async () => {
    expect(await cell('orders Payment', '{"payment_provider":null}')).toBe('card')
    expect(await cell('orders Payment', '{"payment_provider":"manual","payment_method_label":"Vorkasse"}')).toBe(
      'Vorkasse',
    )
    expect(await cell('orders Payment', '{"payment_provider":"manual","payment_method_label":null}')).toBe('manual')
  })

  test("the Parent column of categories shows the parent's name if it was loaded, and otherwise the parent's ID", async () => {
    const names = new Map([[ID, 'Kitchen']])
    const parent = (context: CellContext) => cellIn('categories Parent', `{"parent_id":"${ID}"}`, context)
    expect(await parent({ ...EUR, names })).toEqual({ kind: 'text', text: 'Kitchen' })
    expect(await parent(EUR)).toEqual({ kind: 'text', text: ID })
    expect(await cellIn('categories Parent', '{"parent_id":null}')).toEqual({ kind: 'text', text: null })
  })

  test("if a customer has no name, the Name column shows the customer's email address", async () => {
    expect(await cell('customers Name', '{"name":null,"email":"ann@example.com"}')).toBe('ann@example.com')
  })

  test("if a product's inventory is null, the Stock column shows the sum of its variants' inventories, or nothing if the product has no variants", async () => {
    expect(await cell('products Stock', '{"inventory":7,"variants":[]}')).toBe('7')
    expect(await cell('products Stock', '{"inventory":null,"variants":[]}')).toBeNull()
    expect(await cell('products Stock', '{"inventory":null,"variants":[{"inventory":2},{"inventory":-5}]}')).toBe('-3')
  })

  test("[VER-1] if a resource is added to the API contract, the Data pages get a list with the resource's columns and search fields", async () => {
    const giftCard = resource({
      name: 'Gift card',
      plural: 'gift cards',
      table: 'gift_cards',
      note: 'A gift card that was sold.',
      view: {
        columns: { Sold: 'created_at', Code: 'code', Uses: 'uses', 'In use': 'is_active', Id: 'id' },
        search: { by: 'ID or code', equal: ['code'] },
      },
      fields: {
        id: uuid('Gift card id'),
        code: text('Last four characters'),
        uses: integer('How often it was used'),
        is_active: boolean('In use'),
        created_at: timestamp('When sold'),
      },
    })
    const lists = listsOf([...ENDPOINTS, page({ id: 'listGiftCards', path: '/gift-cards', resource: giftCard })])
    expect(lists).toHaveLength(LISTS.length + 1)
    const added = lists.find(({ resource }) => resource === giftCard)
    if (added === undefined) throw new Error('no list of gift cards')
    expect(added).toMatchObject({ list: 'gift-cards', label: 'Gift cards', path: '/api/v1/gift-cards' })
    const row = '{"created_at":"2026-11-01T00:00:00.000Z","code":"7F3A","uses":2,"is_active":true}'
    const { texts } = await new TimeSlicer().run(rowTexts(Buffer.from(row), 0, added.tableResource))
    expect(cellsOf(added, texts, EUR)).toEqual([
      { kind: 'timestamp', text: '2026-11-01T00:00:00.000Z' },
      { kind: 'text', text: '7F3A' },
      { kind: 'number', text: '2' },
      { kind: 'text', text: 'yes' },
      { kind: 'id', text: null },
    ])
    expect(searchedFields(added.search, '7F3A')).toEqual({ equal: ['code'], containing: [] })
  })

  test('if a list has an email field, a search text with an @ searches only this field, and other search texts skip this field', () => {
    const searched = (list: string, typed: string) => {
      const search = findList(list)?.search
      return search === undefined ? undefined : searchedFields(search, typed)
    }
    const byAddress = { equal: ['email'], containing: [] }
    expect(searched('orders', 'a@b.example')).toEqual(byAddress)
    expect(searched('orders', 'Ann')).toBeNull()
    expect(searched('customers', 'a@b.example')).toEqual(byAddress)
    expect(searched('customers', 'Ann')).toEqual({ equal: ['phone'], containing: ['name'] })
    expect(searched('products', 'a@b')).toEqual({ equal: ['sku', 'slug', 'variants.sku'], containing: ['name'] })
  })

  test('if a name is not exactly a list name, such as "order" or "Orders", findList returns null', () => {
    for (const name of ['', 'store', 'order', 'Orders', 'customer-addresses', '__proto__', 'orders.csv'])
      expect(findList(name)).toBeNull()
  })
})
