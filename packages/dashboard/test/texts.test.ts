import { expect, test } from 'vitest'
import { catalogTexts, textsInCode } from './support/source-texts.ts'

/** The name of the product, the method of a request, and names of formats. They are the same in every language. */
const SAME = /: (?:(?:· )?Store Data Export|:\s+GET|CSV|JSON)$/

test('the code of pages, routes, and emails contains no visible text outside the translation catalogs', () => {
  const found = textsInCode(
    'pages/*.ts',
    'ui/*.ts',
    'routes/*.ts',
    'alerts/*.ts',
    'data/*.ts',
    'usage/*.ts',
    'members/*.ts',
  )
  expect(found.filter((text) => !SAME.test(text))).toEqual([])
})

test('textsInCode, the helper that searches code for visible texts, finds a known text of the English catalog', () => {
  const english = catalogTexts('en')
  expect(english).toContain('Revoke this key?')
  expect(english).toContain('stops working at its next request. You can’t undo this.')
  expect(textsInCode('texts/en/change-key.ts').join('\n')).toContain('stops working at its next request')
})
