// Tests that messages for users have the form `name: problem; remedy`, as docs/contribute/style.md describes.

import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'

/** The errors whose messages a user reads as they are, and the index of the message in the arguments. */
const ERRORS = new Map([
  ['ApiError', 1],
  ['CommandLineError', 0],
  ['CopyError', 0],
  ['DecryptionError', 0],
  ['EmbeddedPostgresError', 0],
  ['FileInUseError', 0],
  ['FormError', 1],
  ['InvalidSettingError', 1],
  ['InvalidStoreError', 0],
  ['InvalidUrlError', 0],
  ['MigrationError', 0],
  ['PostgresConnectionError', 1],
  ['StoreDatabaseError', 0],
  ['UsageError', 0],
  ['UserError', 0],
])
const REMEDY =
  /: (add|change|check|choose|close|create|delete|drop|finish|free|grant|install|migrate|move|pass|read|remove|rename|restart|revoke|run|set|start|stop|unset|use|write) /

/** Reading R3 fixes this message. */
const FIXED = 'read-only: use GET'

interface Message {
  readonly place: string
  readonly text: string
}

/** Returns the messages in a source file. An inserted value is `…`. */
function messagesIn(file: string, source: string): Message[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const found: Message[] = []
  const visit = (node: ts.Node) => {
    if (ts.isNewExpression(node)) {
      const index = ERRORS.get(node.expression.getText(tree))
      const text = index === undefined ? null : textOf(node.arguments?.[index])
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
      if (text !== null) found.push({ place: `${file}:${line}`, text })
    }
    node.forEachChild(visit)
  }
  visit(tree)
  return found
}

/** Returns the text of strings, templates, and their sums; null for any other expression. */
function textOf(node: ts.Node | undefined): string | null {
  if (node === undefined) return null
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
  if (!ts.isBinaryExpression(node)) return null
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === null && right === null ? null : `${left ?? '…'}${right ?? '…'}`
}

function problemsOf(text: string): string[] {
  return [
    ...(/^(?!Parquet )[A-Z][a-z]+ /.test(text) ? ['begins with a capital letter'] : []),
    ...(/\.$/.test(text) ? ['ends with a period'] : []),
    ...(text !== FIXED && REMEDY.test(text) ? ['has a colon before the remedy, not a semicolon'] : []),
    ...(/(?<!<)\bids?\b(?!:)/.test(text) ? ['has "id", not "ID"'] : []),
  ]
}

const MESSAGES = globSync('packages/*/src/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .sort()
  .flatMap((file) => messagesIn(file, readFileSync(file, 'utf8')))

test('no error message starts with a capital letter, ends with a period, puts a colon before the remedy, or says "id"', () => {
  const problems = MESSAGES.flatMap(({ place, text }) =>
    problemsOf(text).map((problem) => `${place} ${problem}: ${text}`),
  )
  expect(MESSAGES.length).toBeGreaterThan(100)
  expect(problems).toEqual([])
})

test.each([
  ['The disk is full; free some space', 'begins with a capital letter'],
  ['the disk is full; free some space.', 'ends with a period'],
  ['the disk is full: free some space', 'has a colon before the remedy, not a semicolon'],
  ['this store has no order with this id', 'has "id", not "ID"'],
])('if an error message is %j, the message check rejects it, because it %s', (text, problem) => {
  expect(problemsOf(text)).toEqual([problem])
})
