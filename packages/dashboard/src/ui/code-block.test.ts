import { expect, test } from 'vitest'
import { localizationIn } from '../texts/languages.ts'
import { codeBlock, jsonCode } from './code-block.ts'

test('if a code block shows JSON, it wraps names and values in spans with CSS classes and leaves the text unchanged', () => {
  const json = '{\n  "a": "b:\\"<c>\\"",\n  "n": -1.50e3,\n  "x": [null, true]\n}'
  const out = String(jsonCode(json))
  expect(out).toContain('<span class="json-name">&quot;a&quot;</span>:')
  expect(out).toContain('<span class="json-value">-1.50e3</span>')
  expect(out).toContain('<span class="json-null">null</span>')
  expect(unescaped(out)).toBe(json)
})

test('if a code block shows text other than JSON, HTML in the text is escaped, and the text is otherwise unchanged', () => {
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

test('if JSON has a string of 400,000 characters without a closing quote, jsonCode renders it within two seconds', () => {
  const began = performance.now()
  jsonCode(`{"a": "${'\\"'.repeat(200_000)}`)
  expect(performance.now() - began).toBeLessThan(2000)
})

test('if a code block shows a secret, its code element has the attribute data-secret', () => {
  expect(String(codeBlock(localizationIn('en'), { id: 'k', label: 'Key', text: 'x', isSecret: true }))).toContain(
    'data-secret',
  )
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
