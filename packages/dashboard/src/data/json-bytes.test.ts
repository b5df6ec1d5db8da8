import { expect, test } from 'vitest'
import { cutBefore } from './json-bytes.ts'

const PAIR = String.raw`"ab\ud83d\ude00cd"`
const PLAIN = '"aé€😀"'

test.each([
  ['a surrogate pair of escape sequences', PAIR, [3, 15]],
  ['characters of one to four bytes', PLAIN, [2, 4, 7, 11]],
] as const)(
  'if a JSON string contains %s, cutBefore returns the last offset that is at most the limit and splits no character',
  (_, text, allowed) => {
    const bytes = Buffer.from(text)
    const first = allowed[0]
    for (let end = first; end < (allowed.at(-1) ?? 0); end++) {
      const expected = Math.max(...allowed.filter((offset) => offset <= end))
      expect(cutBefore(bytes, { start: 1, end }), `end ${end}`).toBe(expected)
    }
  },
)
