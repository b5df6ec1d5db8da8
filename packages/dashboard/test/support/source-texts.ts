// Finds the texts in the source of the catalogs and of the views, for the tests of the languages.

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

/** Returns the parts of all texts of a catalog that are between two values, without tags. */
export function catalogTexts(language: string): Set<string> {
  const texts = new Set<string>()
  for (const file of filesOf(`texts/${language}/*.ts`))
    visit(file, (node) => {
      if (ts.isPropertyAssignment(node) || !(ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))) return
      for (const text of partsOf(node).flatMap((part) => part.split(/<[^>]*>|#|\n/)))
        if (/\p{L}{2}/u.test(text)) texts.add(text.trim())
    })
  return texts
}

/** Returns the words in the HTML and in the strings of the files that match, each with its file and line. */
export function textsInCode(...patterns: readonly string[]): string[] {
  const found: string[] = []
  for (const file of patterns.flatMap(filesOf))
    visit(file, (node) => {
      const text = htmlText(node) ?? stringText(node)
      if (text === null) return
      const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
      found.push(`${file.slice(SOURCE.length)}:${line + 1}: ${text}`)
    })
  return found
}

/** Returns the words of an HTML template outside of its tags and values; null for other code. */
function htmlText(node: ts.Node): string | null {
  if (!ts.isTaggedTemplateExpression(node) || node.tag.getText() !== 'html') return null
  const words = partsOf(node.template)
    .join(' ')
    .replace(/[\w-]+="[^"]*"/g, '')
    .replace(/<[^>]*>|^ [\w-]+$/g, ' ')
    .trim()
  return /\p{L}{2}/u.test(words) ? words : null
}

/** Names of members with a text for people. */
const TEXT_MEMBERS = new Set(['label', 'title', 'caption', 'heading', 'note', 'hint', 'legend', 'about', 'lead'])

/** Returns a string that is a label, or that looks like several words of a sentence; null for other code. */
function stringText(node: ts.Node): string | null {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return null
  if (ts.isTaggedTemplateExpression(node.parent) || ts.isNewExpression(node.parent)) return null
  const text = partsOf(node).join('…')
  if (ts.isPropertyAssignment(node.parent) && TEXT_MEMBERS.has(node.parent.name.getText()))
    return /\p{L}{2}/u.test(text) ? text : null
  return /^[A-Z][a-z’]* [a-zA-Z’]/.test(text) ? text : null
}

function filesOf(pattern: string): string[] {
  return globSync(SOURCE + pattern).filter((file) => !file.endsWith('.test.ts'))
}

function visit(file: string, use: (node: ts.Node) => void): void {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const each = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
    use(node)
    ts.forEachChild(node, each)
  }
  each(tree)
}

function partsOf(node: ts.Node): string[] {
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
  return ts.isStringLiteralLike(node) ? [node.text] : []
}
