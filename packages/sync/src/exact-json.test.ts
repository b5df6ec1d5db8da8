import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDeepJson, writeDeepJson } from './deep-json.ts'
import { exactJsonText, parseExactJson } from './exact-json.ts'

describe('numbers in JSON', () => {
  test.each([
    '12345678901234567890',
    '0.12345678901234567890',
    '1e400',
    '-1.2345678901234567e-300',
    '{"a":[1,2.5,-0.10000000000000000001],"text":"12345678901234567890"}',
  ])('if JSON contains %s, parseExactJson and JSON.stringify preserve every digit', (text) => {
    expect(JSON.stringify(parseExactJson(`[${text}]`))).toBe(`[${text}]`)
  })

  test('if a double represents a JSON number exactly, parseExactJson returns a JavaScript number', () => {
    expect(parseExactJson('{"a":[12345678901234567890,1.50,1e3,7]}')).toMatchObject({
      a: [expect.anything(), 1.5, 1000, 7],
    })
  })
})

describe('deeply nested JSON', () => {
  const LEVELS = 50_000

  test('if JSON has 50,000 levels, parseExactJson followed by exactJsonText returns equal JSON', () => {
    for (const inner of ['1', '12345678901234567890', '{"__proto__":[1.50,true,null,"\\"\\u00fc"],"b":{},"c":[]}']) {
      const text = `${'[{"a b":1,"n":'.repeat(LEVELS)}${inner}${'}]'.repeat(LEVELS)}`
      const exact = exactJsonText(parseExactJson(text))
      expect(exact === text.replace('1.50', '1.5').replace('\\u00fc', 'ü')).toBe(true)
    }
  })

  test('for random JSON, parseDeepJson and writeDeepJson return the same as JSON.parse and JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = JSON.parse(text)
        const written = writeDeepJson(value, () => false)
        expect(written).toBe(JSON.stringify(value))
        expect(parseDeepJson(` ${written} `, JSON.parse)).toEqual(value)
        expect(parseDeepJson(JSON.stringify(value, null, 2), JSON.parse)).toEqual(value)
      }),
    )
  })
})
