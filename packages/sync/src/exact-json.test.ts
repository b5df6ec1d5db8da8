import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDeepJson, writeDeepJson } from './deep-json.ts'
import { exactJsonText, parseExactJson, type RawNumber } from './exact-json.ts'

describe('numbers in JSON', () => {
  test.each([
    '12345678901234567890',
    '0.12345678901234567890',
    '1e400',
    '-1e-400',
    '3e-324',
    '1.23456789012345e-310',
    '1e-99999999999',
    '-1.2345678901234567e-300',
    '{"a":[1,2.5,-0.10000000000000000001],"text":"12345678901234567890"}',
  ])('if JSON contains %s, parseExactJson and JSON.stringify preserve every digit', (text) => {
    expect(JSON.stringify(parseExactJson(`[${text}]`))).toBe(`[${text}]`)
  })

  test('if a double represents a JSON number exactly, parseExactJson returns a JavaScript number', () => {
    expect(parseExactJson('{"a":[12345678901234567890,1.50,1e3,7]}')).toMatchObject({
      a: [expect.anything(), 1.5, 1000, 7],
    })
    expect(parseExactJson('[5e-324,2.2250738585072014e-308]')).toEqual([5e-324, 2.2250738585072014e-308])
    expect(parseExactJson('[0e-400,0.00e400,-0,100000000000000000000000]')).toEqual([0, 0, -0, 1e23])
  })

  test('for a random number, parseExactJson returns a RawNumber, or a JavaScript number of exactly the same value', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,19})(\.\d{1,19})?$/)
    const exponent = fc.oneof(fc.integer({ min: -345, max: 330 }), fc.constant(null))
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits, exponent, (sign, significand, power) => {
        const text = sign + significand + (power === null ? '' : `e${power}`)
        const [value] = parseExactJson(`[${text}]`) as [number | RawNumber]
        if (typeof value === 'number') expect(scaled(JSON.stringify(value))).toBe(scaled(text))
        else expect(value.rawJSON).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })
})

/** Returns a number above 1e-400 as an integer, multiplied by a power of ten. */
function scaled(text: string): bigint {
  const [, whole = '', fraction = '', power = '0'] = /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(text) ?? []
  return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(power) - fraction.length)
}

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
