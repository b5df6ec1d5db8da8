import { expect, test } from 'vitest'
import { cellText, parseRow } from './exact-json.ts'
import { formatJson } from './json-text.ts'

test('formatted JSON keeps every digit, also those that a float cannot hold', () => {
  const text = '{"long":12345678901234567890123,"rate":7.50,"tiny":1E-400,"zero":-0,"deep":[{"n":0.10}],"text":"007"}'
  const formatted = formatJson(text)
  expect(formatted.replaceAll(/\s/g, '')).toBe(text)
  expect(formatted).toContain('\n  "rate": 7.50,')
})

test('formatted JSON keeps texts that mean something to HTML, to scripts and to objects', () => {
  const text = '{"__proto__":"<img src=x>","constructor":"</script>","quote":"\\"\\\\\\n\\u2028"}'
  expect(JSON.parse(formatJson(text))).toEqual(JSON.parse(text))
  expect(Object.keys(JSON.parse(formatJson(text)))).toEqual(['__proto__', 'constructor', 'quote'])
})

test('a cell holds texts as they are, digits as written, and nested values as JSON', () => {
  const row = parseRow('{"text":"007","number":12345678901234567890,"no":null,"yes":true,"list":[{"n":1.10}]}')
  const cells = Object.keys(row).map((name) => cellText(row[name]))
  expect(cells).toEqual(['007', '12345678901234567890', null, 'true', '[{"n":1.10}]'])
  expect(cellText(undefined)).toBeNull()
})
