import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { SPEC_ENDPOINTS, SPEC_LISTS, UNKNOWN_ID } from './support/spec-endpoints.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, {
    orders: 260,
    customers: 60,
    products: 10,
    locations: 1,
    groups: 1,
  })
})
afterAll(() => platform.close())

const getPath = (path: string) => platform.get(path, store.key)
const expectRejected = async (path: string, code: string): Promise<string> => {
  const response = await getPath(path)
  expect([path, response.status, response.json.error?.code]).toEqual([path, 400, code])
  return response.json.error.message
}

describe('[Q-LIMIT, R11] limit', () => {
  test('if limit is 1, 49, 51, or 250, a page has that many rows; if limit is left out, a page has 50 rows', async () => {
    for (const [query, rows] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=49', 49],
      ['?limit=51', 51],
      ['?limit=250', 250],
    ] as const)
      expect((await getPath(`/api/v1/orders${query}`)).json.data).toHaveLength(rows)
  })

  test.each([
    ...[
      '1e2',
      '0x10',
      '+5',
      '%2B5',
      '05',
      '1.5',
      '5.0',
      '%205',
      '5%20',
      '５',
      '%EF%BC%95',
      '251',
      '0',
      '-1',
      '-0',
      '1000000',
    ],
    ...[
      'ten',
      'null',
      'undefined',
      'NaN',
      '5%00',
      '5%0A',
      '5;drop',
      '%7B%7D',
      '[]',
      '99999999999999999999999',
      '5,6',
      "5'",
    ],
  ])('if limit is %s, every list returns a 400 that names the range 1 to 250', async (text) => {
    for (const { path } of SPEC_LISTS)
      expect(await expectRejected(`${path}?limit=${text}`, 'INVALID_PARAM')).toMatch(
        /^limit: must be a whole number from 1 to 250; got "/,
      )
  })

  test('the error message about a rejected limit truncates a long value and escapes control characters', async () => {
    const message = await expectRejected(`/api/v1/orders?limit=${'9'.repeat(5000)}`, 'INVALID_PARAM')
    expect(message.length).toBeLessThan(150)
    expect(await expectRejected('/api/v1/orders?limit=%22%0d%0a%00', 'INVALID_PARAM')).toContain(
      String.raw`"\"\r\n\u0000"`,
    )
  })
})

describe('[R10] the value of a parameter', () => {
  const GOOD: Readonly<Record<string, string>> = {
    limit: '5',
    updated_since: '2026-01-01T00:00:00Z',
    created_since: '2026-01-01T00:00:00Z',
    cursor: 'x',
  }
  test.each(SPEC_LISTS.map(({ path, parameters }) => [path, parameters] as const))(
    'if a parameter of %s is empty or sent twice, the response is 400, and the error names the parameter',
    async (path, parameters) => {
      for (const name of parameters) {
        const good = GOOD[name] ?? (path.endsWith('orders') ? 'paid' : 'active')
        const message = await expectRejected(`${path}?${name}=${good}&${name}=${good}`, 'INVALID_PARAM')
        expect(message).toContain(name)
        expect(message).toContain('once')
        const empty = name === 'cursor' ? 'INVALID_CURSOR' : 'INVALID_PARAM'
        expect(await expectRejected(`${path}?${name}=`, empty)).toContain(name)
        expect(await expectRejected(`${path}?${name}`, empty)).toContain(name)
        await expectRejected(`${path}?${name}=&${name}=`, 'INVALID_PARAM')
      }
    },
  )
})

test.each([
  ['orders', 'limit', 'a whole number from 1 to 250'],
  ['orders', 'updated_since', 'an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z'],
  ['customers', 'created_since', 'an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z'],
  ['orders', 'status', 'one of pending, paid, shipped, delivered, cancelled, refunded, return_requested'],
  ['products', 'status', 'one of draft, active, archived'],
])(
  '[ERR-1, R10] if the list of %s gets an empty or repeated %s, the error message states the rule and the rejected values',
  async (path, name, rule) => {
    const messageOf = (query: string) => expectRejected(`/api/v1/${path}?${query}`, 'INVALID_PARAM')
    expect(await messageOf(`${name}=`)).toBe(`${name}: must be ${rule}, or left out; got ""`)
    expect(await messageOf(`${name}=1&${name}=`)).toBe(`${name}: must be given once, as ${rule}; got "1" and ""`)
  },
)

describe('[R12, Q-UPDATED, Q-CREATED] datetimes', () => {
  const valid = [
    ...['2026-07-08T10:20:30Z', '2026-07-08t10:20:30z', '2026-07-08T10:20:30.1Z', '2026-07-08T10:20:30.123456789Z'],
    ...[
      '2026-07-08T10:20:30%2B02:00',
      '2026-07-08T10:20:30-05:30',
      '2026-07-08T10:20:30%2B23:59',
      '2026-07-08T10:20:30-23:59',
    ],
    ...['2024-02-29T00:00:00Z', '2000-02-29T23:59:59Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'],
    ...[
      '0001-01-01T00:00:00%2B23:59',
      '9999-12-31T23:59:59-23:59',
      '2026-07-08T10:20:30-00:00',
      '2026-07-08T10%3A20%3A30Z',
    ],
  ]
  test.each(valid)('if a datetime parameter is %s, the response is 200', async (timestamp) => {
    for (const path of ['orders', 'products', 'customers', 'customer-addresses'])
      expect((await getPath(`/api/v1/${path}?limit=1&updated_since=${timestamp}`)).status, path).toBe(200)
    expect((await getPath(`/api/v1/customers?limit=1&created_since=${timestamp}`)).status).toBe(200)
  })

  const invalid = [
    ...[
      'now',
      'infinity',
      '-infinity',
      'epoch',
      'today',
      '2026',
      '2026-07',
      '2026-07-08',
      '20260708T102030Z',
      '1783000000',
    ],
    ...['2026-07-08T10:20Z', '2026-07-08T10:20:30', '2026-07-08T10:20:30.123', '2026-07-08T10:20:30.1234567890Z'],
    ...[
      '2026-07-08T24:00:00Z',
      '2026-07-08T10:60:00Z',
      '2026-07-08T10:20:60Z',
      '2016-12-31T23:59:60Z',
      '2026-07-08T10:20:30.Z',
    ],
    ...[
      '2023-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-06-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
    ],
    ...[
      '2026-00-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '10000-01-01T00:00:00Z',
      '-0001-01-01T00:00:00Z',
    ],
    ...[
      '2026-07-08T10:20:30%2B24:00',
      '2026-07-08T10:20:30-24:00',
      '2026-07-08T10:20:30%2B02:60',
      '2026-07-08T10:20:30%2B0200',
    ],
    ...[
      '2026-07-08%2010:20:30Z',
      '2026-07-08T10:20:30Z%20',
      '%202026-07-08T10:20:30Z',
      '2026-07-08T10:20:30Z%00',
      '2026-W28-3',
    ],
    ...[
      "2026-07-08T10:20:30Z'",
      '2026-07-08T10:20:30Z;',
      '%EF%BC%92026-07-08T10:20:30Z',
      'Wed, 08 Jul 2026 10:20:30 GMT',
    ],
  ]
  test.each(invalid)(
    'if a datetime parameter is %s, the response is a 400 that names the format RFC 3339',
    async (text) => {
      for (const [path, name] of [
        ['orders', 'updated_since'],
        ['products', 'updated_since'],
        ['customers', 'updated_since'],
        ['customers', 'created_since'],
      ] as const) {
        const message = await expectRejected(`/api/v1/${path}?${name}=${text}`, 'INVALID_PARAM')
        expect(message).toMatch(new RegExp(`^${name}: must be an RFC 3339 datetime with Z or an offset`))
      }
    },
  )

  test('if a datetime has a space in place of the + sign, the error message says to write %2B', async () => {
    for (const text of ['2026-07-08T10:20:30+02:00', '2026-07-08T10:20:30.5%2002:00'])
      expect(await expectRejected(`/api/v1/orders?updated_since=${text}`, 'INVALID_PARAM')).toContain('%2B')
    expect(await expectRejected('/api/v1/orders?updated_since=today', 'INVALID_PARAM')).not.toContain('%2B')
  })
})

describe('[Q-STATUS, ERR-1] unknown statuses', () => {
  test.each(['draft', 'PAID', 'paid%20', 'unknown', 'paid,shipped', '__proto__', "paid'--", 'return-requested', '%00'])(
    'if the status filter of orders is %s, the response is a 400 that lists the known statuses',
    async (status) => {
      expect(await expectRejected(`/api/v1/orders?status=${status}`, 'INVALID_PARAM')).toMatch(
        /^status: must be one of pending, paid, shipped, delivered, cancelled, refunded, return_requested; got "/,
      )
    },
  )

  test.each(['paid', 'Active', 'deleted', 'toString'])(
    'if the status filter of products is %s, the response is a 400 that lists the known statuses',
    async (status) => {
      expect(await expectRejected(`/api/v1/products?status=${status}`, 'INVALID_PARAM')).toMatch(
        /^status: must be one of draft, active, archived; got "/,
      )
    },
  )
})

describe('[R9, R30] parameters that an endpoint does not have', () => {
  const ALL = ['limit', 'cursor', 'updated_since', 'created_since', 'status']
  test.each(SPEC_ENDPOINTS.map((each) => [each.path, each] as const))(
    'if %s gets parameters that this endpoint does not have, the service ignores them and names them in x-ignored-params',
    async (_path, { path, idOf, parameters }) => {
      const [row] = idOf === undefined ? [] : await store.sql`select id::text from ${store.sql(idOf)} limit 1`
      const ignored = ALL.filter((name) => !parameters.includes(name))
      const query = [...ignored.map((name) => `${name}=nonsense`), 'Limit=1', 'page=2']
      const response = await getPath(`${path.replace('{id}', String(row?.id))}?${query.join('&')}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ignored-params')).toBe([...ignored, 'Limit', 'page'].join(','))
    },
  )

  test('if no parameter of a request is ignored, the response has no x-ignored-params header', async () => {
    expect((await getPath('/api/v1/orders?limit=1')).headers.has('x-ignored-params')).toBe(false)
  })

  test('if 20 parameters are ignored, x-ignored-params lists the first ten names, each cut at 64 characters and percent-encoded', async () => {
    const named = async (query: string) => (await getPath(`/api/v1/store?${query}`)).headers.get('x-ignored-params')
    expect(await named('a=1&a=2&b')).toBe('a,b')
    expect(await named('a%2Cb=1&%0d%0aset-cookie%3A=1&%F0%9F%98%80&%00&+')).toBe(
      'a%2Cb,%0D%0Aset-cookie%3A,%F0%9F%98%80,%00,%20',
    )
    expect(await named(Array.from({ length: 20 }, (_, index) => `p${index}`).join('&'))).toBe(
      'p0,p1,p2,p3,p4,p5,p6,p7,p8,p9',
    )
    expect(await named(`${'y'.repeat(300)}=1`)).toBe('y'.repeat(64))
    expect(await named(`${'%C3%A9'.repeat(300)}=1`)).toBe('%C3%A9'.repeat(64))
    expect(await named(`${'z'.repeat(63)}%F0%9F%98%80=1`)).toBe(`${'z'.repeat(63)}%EF%BF%BD`)
    expect(await named('__proto__=1&constructor=2&=3')).toBe('__proto__,constructor,')
  })

  test('if a response is an error, x-ignored-params still names the ignored parameters', async () => {
    const response = await getPath('/api/v1/orders?limit=0&update_since=2026-01-01T00:00:00Z')
    expect(response.status).toBe(400)
    expect(response.headers.get('x-ignored-params')).toBe('update_since')
    expect((await getPath(`/api/v1/orders/${UNKNOWN_ID}?limit=0`)).headers.get('x-ignored-params')).toBe('limit')
    expect((await getPath('/api/v1/orders/x?limit=0')).headers.get('x-ignored-params')).toBe('limit')
  })
})
