import { describe, expect, test } from 'vitest'
import { CommandLineError } from './command-line-error.ts'
import { parseTables, rejectPlainHttp } from './parse-options.ts'

describe('the option --tables', () => {
  test("parseTables('orders, order_items,categories') returns the tables categories and orders, because orders include order_items", () => {
    expect(parseTables('orders, order_items,categories').map(({ name }) => name)).toEqual(['categories', 'orders'])
  })

  test('if --tables contains an unknown table name, the error message lists all table names', () => {
    expect(() => parseTables('orders,order')).toThrow(CommandLineError)
    expect(() => parseTables('orders,order')).toThrow(
      /must be table names separated by commas \(store, .*product_variants.*\); got "order"$/,
    )
  })
})

describe('the option --insecure-http', () => {
  test.each([
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://localhost:1',
    'http://shop.localhost',
    'http://[::1]:8080',
    'http://[::ffff:127.0.0.1]',
    'https://export.example.com',
  ])('if --url is %s, store-sync accepts the URL without --insecure-http', (url) => {
    expect(() => rejectPlainHttp(url)).not.toThrow()
  })

  test.each([
    'http://export.example.com',
    'http://10.0.0.7:8080',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[2001:db8::1]',
    'http://127.0.0.1@export.example.com',
  ])('if --url is %s, plain HTTP to another computer, the error message suggests --insecure-http', (url) => {
    expect(() => rejectPlainHttp(url)).toThrow(/^--url: http:\/\/ would send the key to .* --insecure-http/)
  })
})
