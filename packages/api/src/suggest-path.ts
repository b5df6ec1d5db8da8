// The path that a client probably meant: the same words with another case, prefix, slash, underscore or number.

import { ENDPOINTS } from '@store-export/contract'
import { isUuid } from '@store-export/control'

const ID = '{id}'
const PATHS = ENDPOINTS.map(({ path }) => ({ path, words: wordsOf(path) }))

/** The declared path that is nearest to an unknown one, with the ID of the request if it is one; null if none is near. */
export function suggestPath(path: string): string | null {
  const words = wordsOf(path)
  const near = PATHS.find((each) => isSame(each.words, words))
  if (near === undefined) return null
  const id = words[near.words.indexOf(ID)] ?? ''
  return isUuid(id) ? near.path.replace(ID, id) : near.path
}

/** The words of a path without `/api/v1`, normalized for the comparison. */
function wordsOf(path: string): string[] {
  const words = path.split('/').filter((word) => word !== '')
  return words.map(comparable).filter((word, index) => !(index < 2 && /^(api|v\d+)$/.test(word)))
}

function comparable(word: string): string {
  if (word === ID) return ID
  return word
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1')
}

function isSame(declared: readonly string[], given: readonly string[]): boolean {
  return (
    declared.length === given.length && declared.every((word, index) => word === ID || word === (given[index] ?? ''))
  )
}
