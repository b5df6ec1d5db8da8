import { expect, test } from 'vitest'
import { codeBlock, jsonCode } from './code-block.ts'

test('JSON gets a class for each token, and its text does not change', () => {
  const json = '{\n  "a": "b:\\"<c>\\"",\n  "n": -1.50e3,\n  "x": [null, true]\n}'
  const out = String(jsonCode(json))
  expect(out).toContain('<span class="json-name">&quot;a&quot;</span>:')
  expect(out).toContain('<span class="json-value">-1.50e3</span>')
  expect(out).toContain('<span class="json-null">null</span>')
  expect(unescaped(out)).toBe(json)
})

test('text that is not JSON is escaped and stays the same', () => {
  for (const text of [
    '',
    '"',
    '"\\',
    '</code><script>alert(1)</script>',
    '"<img src=x onerror=alert(1)>": "'.repeat(50),
  ]) {
    const out = String(jsonCode(text))
    expect(out.replaceAll(/<span class="json-\w+">|<\/span>/g, '')).not.toContain('<')
    expect(unescaped(out)).toBe(text)
  }
})

test('a string of 400,000 characters without an end is marked within two seconds', () => {
  const began = performance.now()
  jsonCode(`{"a": "${'\\"'.repeat(200_000)}`)
  expect(performance.now() - began).toBeLessThan(2000)
})

test('a secret has the attribute data-secret, with which the script removes it', () => {
  expect(String(codeBlock({ id: 'k', label: 'Key', text: 'x', isSecret: true }))).toContain('data-secret')
})

function unescaped(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
