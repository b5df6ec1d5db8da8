import { expect, test } from 'vitest'
import { type FormattedJson, formatJson, JSON_CHARACTERS_MAX } from './format-json.ts'

const format = (text: string, charactersMax = JSON_CHARACTERS_MAX): FormattedJson =>
  formatJson(Buffer.from(text), charactersMax)

test("[FMT-2] if JSON has numbers that a float can't represent, formatJson preserves every digit", () => {
  const text = '{"long":12345678901234567890123,"rate":7.50,"tiny":1E-400,"zero":-0,"deep":[{"n":0.10}],"text":"007"}'
  const formatted = format(text)
  expect(formatted.isWhole).toBe(true)
  expect(formatted.text.replaceAll(/\s/g, '')).toBe(text)
  expect(formatted.text).toContain('\n  "rate": 7.50,')
})

test('if JSON has nested arrays and objects, formatJson indents it like JSON.stringify(value, null, 2)', () => {
  const value = { a: [], b: {}, c: [1, [2, { d: null }]], e: 'x: {y}, [z] "q" \\', f: true, 'g "h"': [''] }
  expect(format(JSON.stringify(value)).text).toBe(JSON.stringify(value, null, 2))
  expect(format(JSON.stringify(value, null, 1)).text).toBe(JSON.stringify(value, null, 2))
})

test("if JSON contains HTML, escape sequences, or keys such as __proto__, formatJson's output parses to the same value as its input", () => {
  const text = '{"__proto__":"<img src=x>","constructor":"</script>","quote":"\\"\\\\\\n\\u2028"}'
  expect(JSON.parse(format(text).text)).toEqual(JSON.parse(text))
  expect(Object.keys(JSON.parse(format(text).text))).toEqual(['__proto__', 'constructor', 'quote'])
})

test.each([
  ['many numbers', JSON.stringify(Array.from({ length: 500_000 }, (_, n) => n))],
  ['one long string', JSON.stringify({ a: `\\"ä😀`.repeat(500_000) })],
  ['100,000 nested arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['many spaces', `[${' '.repeat(2_000_000)}1]`],
])(
  'if JSON with %s exceeds the maximum length, formatJson returns the beginning of the JSON, up to that length',
  (_what, text) => {
    const formatted = format(text)
    expect(formatted.isWhole).toBe(false)
    expect(formatted.text.length).toBeLessThanOrEqual(JSON_CHARACTERS_MAX)
    expect(formatted.text.isWellFormed()).toBe(true)
    expect(text.replaceAll(/\s/g, '').startsWith(formatted.text.replaceAll(/\s/g, '').slice(0, -2))).toBe(true)
  },
)
