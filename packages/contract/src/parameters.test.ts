import { describe, expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { invalidParameter, PARAMETERS, type Parameter, quotedInput } from './parameters.ts'
import { customer } from './resources/customer.ts'
import { order } from './resources/order.ts'
import { product } from './resources/product.ts'

const errorOf = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was rejected')
}

describe('[Q-LIMIT, R11] limit', () => {
  test.each([
    ['1', 1],
    ['9', 9],
    ['10', 10],
    ['250', 250],
  ])('if limit is %j, the parser returns the number %i', (text, expected) => {
    expect(PARAMETERS.limit.parse(text)).toBe(expected)
  })

  test.each([
    ...['0', '00', '-1', '-0', '+5', '05', '1.5', '5.0', '1e2', '0x10', '0b1', ' 5', '5 ', '5\n', '５', '٥', '1_0'],
    ...['251', '1000', '99999999999999999999', 'NaN', 'Infinity', 'ten', 'null', '5,5', '5;'],
  ])(
    'if limit is the invalid value %j, the parser throws INVALID_PARAM with a message that names the range',
    (text) => {
      const error = errorOf(() => PARAMETERS.limit.parse(text))
      expect(error.code).toBe('INVALID_PARAM')
      expect(error.message).toMatch(/^limit: must be a whole number from 1 to 250; got "/)
    },
  )
})

test("[Q-STATUS] if a status is not one of the resource's values, the parser throws INVALID_PARAM with a message that lists the values", () => {
  for (const status of ['pending', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded', 'return_requested'])
    expect(PARAMETERS.status.parse(status, order)).toBe(status)
  for (const status of ['draft', 'active', 'archived']) expect(PARAMETERS.status.parse(status, product)).toBe(status)
  for (const [resource, text] of [
    [order, 'draft'],
    [product, 'paid'],
    [order, 'Paid'],
    [order, 'constructor'],
    [customer, 'paid'],
  ] as const)
    expect(errorOf(() => PARAMETERS.status.parse(text, resource)).code).toBe('INVALID_PARAM')
  expect(errorOf(() => PARAMETERS.status.parse('draft', order)).message).toBe(
    'status: must be one of pending, paid, shipped, delivered, cancelled, refunded, return_requested; got "draft"',
  )
})

test.each(['updated_since', 'created_since'] as const)(
  '[R12] if %s is invalid, the error message names the parameter and the format',
  (name) => {
    expect(PARAMETERS[name].parse('2000-01-01T00:00:00.000001Z')).toBe(1n)
    const plain = errorOf(() => PARAMETERS[name].parse('yesterday'))
    expect(plain.message).toMatch(new RegExp(`^${name}: must be an RFC 3339 datetime .*; got "yesterday"$`))
    expect(plain.message).not.toContain('%2B')
    expect(errorOf(() => PARAMETERS[name].parse('2026-07-01T00:00:00 02:00')).message).toContain('%2B')
  },
)

test('[ERR-1] if a parameter is invalid, the error message has the rule that the contract declares for the parameter', () => {
  for (const name of ['limit', 'updated_since', 'created_since', 'status'] as const) {
    const { parse, rule }: Parameter = PARAMETERS[name]
    expect(errorOf(() => parse('x', order)).message).toBe(`${name}: must be ${rule(order)}; got "x"`)
  }
})

test("if an error message quotes a client's value, the value is escaped and cut at 64 characters", () => {
  expect(quotedInput('a"b\n\0')).toBe('"a\\"b\\n\\u0000"')
  expect(quotedInput('x'.repeat(65))).toBe(`"${'x'.repeat(64)}…"`)
  expect(quotedInput(`${'x'.repeat(63)}😀`)).toBe(`"${'x'.repeat(63)}\uFFFD…"`)
  expect(invalidParameter('id', 'a UUID', '42')).toMatchObject({ message: 'id: must be a UUID; got "42"', status: 400 })
})
