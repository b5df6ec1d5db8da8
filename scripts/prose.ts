// Extracts the sentences that people read: from Markdown, and from comments and strings of TypeScript.

import ts from 'typescript'

/** A piece of text that people read, and its place in a file. */
export interface Prose {
  /** Number of the first line, from 1. */
  readonly line: number
  readonly text: string
  readonly kind: 'markdown' | 'comment' | 'string'
}

/**
 * Returns the text of a Markdown page: paragraphs, list items, table cells, and headings, without code and link
 * targets.
 */
export function proseOfMarkdown(page: string): Prose[] {
  const found: Prose[] = []
  let isCode = false
  let block: { line: number; lines: string[] } = { line: 1, lines: [] }
  const flush = () => {
    const text = withoutMarkup(block.lines.join(' '))
    if (text !== '') found.push({ line: block.line, text, kind: 'markdown' })
    block = { line: 0, lines: [] }
  }
  page.split('\n').forEach((raw, index) => {
    const line = raw.trim()
    const isFence = line.startsWith('```')
    if (isFence) isCode = !isCode
    if (isFence || isCode || line === '' || /^([-|: ]+|<.*>|#+ .*)$/.test(line)) {
      flush()
      if (!isCode && line.startsWith('#')) found.push({ line: index + 1, text: withoutMarkup(line), kind: 'markdown' })
      return
    }
    if (line.startsWith('|')) {
      flush()
      for (const cell of line.split(/(?<!\\)\||<br>/)) {
        const text = withoutMarkup(cell)
        if (text !== '') found.push({ line: index + 1, text, kind: 'markdown' })
      }
      return
    }
    if (/^([-*>]|\d+\.) /.test(line)) flush()
    if (block.lines.length === 0) block.line = index + 1
    block.lines.push(line)
  })
  flush()
  return found
}

/** Returns the comments of a TypeScript file, and its strings with three words in a row that don't look like code. */
export function proseOfTypeScript(file: string, source: string): Prose[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  return [...commentsOf(tree), ...stringsOf(tree)].sort((a, b) => a.line - b.line)
}

/** Returns the comments. Line comments on consecutive lines are one piece of text. */
function commentsOf(tree: ts.SourceFile): Prose[] {
  const source = tree.text
  const starts = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node) => {
    const around = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ]
    for (const range of around) starts.set(range.pos, range)
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  const found: Prose[] = []
  let end = -1
  for (const range of [...starts.values()].sort((a, b) => a.pos - b.pos)) {
    const text = source
      .slice(range.pos, range.end)
      .replace(/^\/\*+|\*+\/$/g, '')
      .split('\n')
      .map((line) => line.replace(/^\s*(\/\/|\*)? ?/, ''))
      .join(' ')
    const line = tree.getLineAndCharacterOfPosition(range.pos).line + 1
    const isNextLine = /^\s*$/.test(source.slice(Math.max(0, end), range.pos)) && end >= 0
    const last = found.at(-1)
    if (isNextLine && last !== undefined && source.startsWith('//', range.pos))
      found[found.length - 1] = { ...last, text: `${last.text} ${withoutMarkup(text)}` }
    else found.push({ line, text: withoutMarkup(text), kind: 'comment' })
    end = range.end
  }
  return found
}

/** Returns the strings with three words in a row that don't look like code: messages, help, notes, and test titles. */
function stringsOf(tree: ts.SourceFile): Prose[] {
  const found: Prose[] = []
  const visit = (node: ts.Node) => {
    // Tagged templates are SQL, HTML, or regular expressions.
    if (ts.isTaggedTemplateExpression(node) || ts.isImportDeclaration(node)) return
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('X')
        : ''
    if (/[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(text) && !/[{};]|select |\\[dws]/.test(text))
      found.push({
        line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1,
        text: withoutTags(text),
        kind: 'string',
      })
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** Returns the text without its HTML tags. Only strings that contain a page have tags. */
function withoutTags(text: string): string {
  return text.replace(/<[a-z!/][^>]*>/gi, ' ')
}

/** Returns the text without Markdown. Code and addresses become `X`, so that each counts as one word. */
function withoutMarkup(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'X')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'X')
    .replace(/[*_#>[\]]/g, '')
    .replace(/^(-|\d+\.) /, '')
    .replace(/\s+/g, ' ')
    .trim()
}
