import { expect, test } from 'vitest'
import { guideHtml } from './guide-html.ts'

const anchorsOf = (markdown: string) =>
  [...guideHtml(markdown, () => '/x').matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)

test('if a guide has the same heading twice, the anchor of the second heading ends with a number', () => {
  expect(anchorsOf('# Read pages\n\n## Example\n\n## Example\n\n## Example 1')).toEqual([
    'read-pages',
    'example',
    'example-1',
    'example-1-1',
  ])
})

test('if a heading contains a link or code, its anchor has the text of the link or code, without markup', () => {
  expect(anchorsOf('## See [the *guide*](a/b.md), or `GET /store`')).toEqual(['see-the-guide-or-get-store'])
})
