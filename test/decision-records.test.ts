// The form of decision records, which `npm run check` requires, and their index.

import { expect, test } from 'vitest'
import { DECISIONS_FOLDER, decisionIndex, decisionProblems } from '../scripts/decision-records.ts'

const BODY = `
## Status

Accepted. Replaces decision 1.

## Context

A need.

## Decision

A choice.

## Consequences

An effect.

## Evidence

\`test/proof.test.ts\`.
`
const GOOD = { file: '002-choose-one.md', text: `# 2. Choose one\n${BODY}` }

function problemsOf(text: string): string[] {
  return decisionProblems({ ...GOOD, text }, (path) => path === 'test/proof.test.ts')
}

test('a record with a numbered title, the five sections, and existing paths has no problem', () => {
  expect(problemsOf(GOOD.text)).toEqual([])
})

test('a title without the number of the file is a problem', () => {
  const problem = `${DECISIONS_FOLDER}/002-choose-one.md: the title must be "# 2. …"`
  expect(problemsOf(`# 3. Choose one\n${BODY}`)).toEqual([problem])
  expect(problemsOf(`# Which one?\n${BODY}`)).toEqual([problem])
})

test('missing and reordered sections are a problem', () => {
  const problem = expect.stringContaining('the sections must be Status, Context, Decision, Consequences, Evidence')
  expect(problemsOf(GOOD.text.replace('## Context', '## Reasons'))).toEqual([problem])
  expect(problemsOf(GOOD.text.replace('## Context', '## Other').replace('## Status', '## Context'))).toEqual([problem])
})

test('more than 400 words are a problem; link targets and table borders do not count', () => {
  expect(problemsOf(GOOD.text + '[word](a-link.md) | '.repeat(380))).toEqual([])
  expect(problemsOf(GOOD.text + 'word '.repeat(400))).toEqual([expect.stringMatching(/ has \d+ words: at most 400$/)])
})

test('a path that the repository does not have is a problem', () => {
  expect(problemsOf(`${GOOD.text}\n\`packages/gone/test.ts\``)).toEqual([
    `${DECISIONS_FOLDER}/002-choose-one.md: packages/gone/test.ts does not exist`,
  ])
})

test('the index lists each record by number, with its title and the first sentence of its status', () => {
  const later = { file: '010-choose-two.md', text: `# 10. Choose two\n${BODY}` }
  expect(decisionIndex([later, GOOD])).toContain(
    '| 2 | [Choose one](002-choose-one.md) | Accepted. |\n| 10 | [Choose two](010-choose-two.md) | Accepted. |\n',
  )
})
