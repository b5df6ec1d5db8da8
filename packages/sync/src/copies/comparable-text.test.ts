import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../exact-json.ts'
import { comparableText } from './comparable-text.ts'

describe('values that verify compares', () => {
  test('if two JSON values differ only in the order of their fields, verify treats the values as equal', () => {
    const one = parseExactJson('{"b":{"y":1,"x":12345678901234567890},"a":[1,2]}')
    const other = parseExactJson('{"a":[1,2],"b":{"x":12345678901234567890,"y":1}}')
    expect(comparableText('json', one)).toBe(comparableText('json', other))
    const third = parseExactJson('{"a":[2,1],"b":{"x":12345678901234567890,"y":1}}')
    expect(comparableText('json', one)).not.toBe(comparableText('json', third))
    const fourth = parseExactJson('{"a":[1,2],"b":{"x":12345678901234567891,"y":1}}')
    expect(comparableText('json', one)).not.toBe(comparableText('json', fourth))
  })

  test.each([
    ['1e30', `1${'0'.repeat(30)}`],
    ['1E+400', `1${'0'.repeat(400)}`],
    ['-1e-400', `-0.${'0'.repeat(399)}1`],
    ['1e-20', '0.00000000000000000001'],
    ['-0.0', '0'],
    ['1.5e-323', `0.${'0'.repeat(322)}15`],
    ['900719925474099.1e1', '9007199254740991'],
    ['1.2345678901234567e-7', '0.00000012345678901234567'],
    ['12345678901234567890.50e1', '123456789012345678905'],
  ])('if two JSON values contain the same number as %s and %s, verify treats the values as equal', (one, other) => {
    const LEVELS = 50_000
    for (const levels of [1, LEVELS]) {
      const text = (number: string) =>
        comparableText('json', parseExactJson(`${'['.repeat(levels)}${number}${']'.repeat(levels)}`))
      expect(text(one) === text(other)).toBe(true)
      expect(text(one) === text(`${one}1`)).toBe(false)
    }
  })

  test('verify treats null and an empty string as different, and likewise the decimals 1.1 and 1.10', () => {
    expect(comparableText('text', null)).toBeNull()
    expect(comparableText('text', '')).toBe('')
    expect(comparableText('decimal', '1.10')).not.toBe(comparableText('decimal', '1.1'))
  })

  test('if two JSON values with 50,000 levels differ only in the order of their fields, verify treats the values as equal', () => {
    const LEVELS = 50_000
    const nested = (members: string) => parseExactJson(`${'['.repeat(LEVELS)}{${members}}${']'.repeat(LEVELS)}`)
    const one = comparableText('json', nested('"a":1,"b":12345678901234567890'))
    expect(one === comparableText('json', nested('"b":12345678901234567890,"a":1'))).toBe(true)
    expect(one === comparableText('json', nested('"b":12345678901234567891,"a":1'))).toBe(false)
  })
})
