import { expect, test } from 'vitest'
import { proseOfMarkdown, proseOfTypeScript } from '../scripts/prose.ts'

const texts = (found: readonly { readonly line: number; readonly text: string }[]) =>
  found.map(({ line, text }) => `${line} ${text}`)

test('proseOfMarkdown returns the text of a Markdown page without code and link targets', () => {
  const page = `# Connect a store
The first line
continues in [a page](docs/page.md).

- one item
  of two lines
- \`code\` stays out

| Name | Meaning |
| --- | --- |
| a | the first |

\`\`\`
not this
\`\`\`
`
  expect(texts(proseOfMarkdown(page))).toEqual([
    '1 Connect a store',
    '2 The first line continues in a page.',
    '5 one item of two lines',
    '7 X stays out',
    '9 Name',
    '9 Meaning',
    '11 a',
    '11 the first',
  ])
})

test('proseOfTypeScript returns the comments and error messages of a file, with continued lines joined', () => {
  const source = `// The first line
// continues here.

import { a } from './a.ts'

/** Returns one. */
export function one(): string {
  // a reason
  throw new Error(\`the store \${a} does not exist\`)
}
`
  expect(texts(proseOfTypeScript('a.ts', source))).toEqual([
    '1 The first line continues here.',
    '6 Returns one.',
    '8 a reason',
    '9 the store X does not exist',
  ])
})
