// Tests the check of decision records in `npm run check`, and their index.

import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { DECISIONS_FOLDER, decisionIndex, decisionProblems } from '../scripts/decision-records.ts'

const BODY = `
## Status

Accepted, 2026-11-18. Replaces decision 1.

## Context

A need.

## Decision

A choice.

### Alternatives

- Another choice: it costs more.

## Consequences

An effect.

## Evidence

\`test/proof.test.ts\`.
`
const GOOD = { file: '002-choose-one.md', text: `# 2. Choose one\n${BODY}` }

function problemsOf(text: string): string[] {
  return decisionProblems({ ...GOOD, text }, (path) => path === 'test/proof.test.ts')
}

test('if a decision record is complete, the check finds no problem', () => {
  expect(problemsOf(GOOD.text)).toEqual([])
})

test('if the title of a decision record does not begin with the number in the file name, the check rejects the record', () => {
  const problem = `${DECISIONS_FOLDER}/002-choose-one.md: the title must be "# 2. …"`
  expect(problemsOf(`# 3. Choose one\n${BODY}`)).toEqual([problem])
  expect(problemsOf(`# Which one?\n${BODY}`)).toEqual([problem])
})

test('if sections of a decision record are missing or in the wrong order, the check rejects the record', () => {
  const problem = expect.stringContaining('the sections must be Status, Context, Decision, Consequences, Evidence')
  expect(problemsOf(GOOD.text.replace('## Context', '## Reasons'))).toEqual([problem])
  const swapped = GOOD.text.replace('## Evidence', '## Consequences').replace('## Consequences', '## Evidence')
  expect(problemsOf(swapped)).toEqual([problem])
})

test('if the status of a decision record lacks a date, the check rejects the record', () => {
  const dated = 'Accepted, 2026-11-18. Replaces decision 1.'
  const problem = expect.stringContaining('the status must begin with "Accepted, YYYY-MM-DD."')
  for (const status of ['Accepted.', 'Accepted, November 2026.', 'Rejected, 2026-11-18.', 'Superseded by decision 3.'])
    expect(problemsOf(GOOD.text.replace(dated, status)), status).toEqual([problem])
  expect(problemsOf(GOOD.text.replace(dated, 'Superseded by [decision 3](003-b.md), 2026-11-20.'))).toEqual([])
})

test('if the alternatives of a decision record are missing or empty, the check rejects the record', () => {
  const problem = expect.stringContaining('the section Decision must have "### Alternatives"')
  expect(problemsOf(GOOD.text.replace('### Alternatives\n\n- Another choice: it costs more.\n\n', ''))).toEqual([
    problem,
  ])
  expect(problemsOf(GOOD.text.replace('- Another choice: it costs more.', ''))).toEqual([problem])
})

test('if a decision record has more than 400 words as wc -w counts them, the check rejects the record', () => {
  const words = Number(execFileSync('wc', ['-w'], { input: GOOD.text, encoding: 'utf8' }))
  // A mark of a list or a table is a word of its own, and a link without a space is one.
  const longest = `${GOOD.text}${'- [word](a-link.md) '.repeat((400 - words) / 2)}${words % 2 === 1 ? 'word' : ''}`
  expect(problemsOf(longest)).toEqual([])
  expect(problemsOf(`${longest} |`)).toEqual([expect.stringContaining('has 401 words by wc -w')])
})

test('if a path in a decision record does not exist, the check rejects the record', () => {
  expect(problemsOf(`${GOOD.text}\n\`packages/gone/test.ts\``)).toEqual([
    `${DECISIONS_FOLDER}/002-choose-one.md: packages/gone/test.ts does not exist`,
  ])
})

test('the index lists the decision records of each part by number, and shows every status other than "Accepted"', () => {
  const superseded = BODY.replace('Accepted, 2026-11-18.', 'Superseded by [decision 3](003-b.md), 2026-11-20.')
  const later = { file: '010-choose-two.md', text: `# 10. Choose two\n${superseded}` }
  const other = { file: '013-choose-three.md', text: `# 13. Choose three\n${BODY}` }
  const index = decisionIndex([other, later, GOOD])
  const rows = [
    '| 2 | [Choose one](002-choose-one.md) |',
    '| 10 | [Choose two](010-choose-two.md). Superseded by [decision 3](003-b.md), 2026-11-20. |',
  ]
  expect(index).toContain(`## API\n\n| Number | Decision |\n| ---: | --- |\n${rows.join('\n')}\n\n## Dashboard\n`)
  expect(index).toContain('| 13 | [Choose three](013-choose-three.md) |\n')
})

test('if the number of a decision record belongs to no part of the index, the check rejects the record', () => {
  const record = { file: '006-choose-one.md', text: GOOD.text.replace('# 2.', '# 6.') }
  expect(decisionProblems(record, () => true)).toEqual([expect.stringContaining('its number must be in a part')])
})
