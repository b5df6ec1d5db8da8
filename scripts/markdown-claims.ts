// Extracts what a Markdown page claims about the repository: links, anchors, commands, and options. Reads no file.

import type { Command } from './programs.ts'

/** A line of code: the content of a code span, or a line of a fenced block. */
export interface CodeLine {
  /** Line in the page, from 1. */
  readonly line: number
  readonly text: string
  readonly isSpan: boolean
}

/** A relative link in a page. */
export interface Link {
  /** Line in the page, from 1. */
  readonly line: number
  /** Path relative to the page, without the anchor. Empty for an anchor of the same page. */
  readonly path: string
  /** The anchor without `#`; null if there is none. */
  readonly anchor: string | null
}

/**
 * Returns the relative links of a page: `[text](target)`, `[label]: target`, `href`, and `src`. Code contains no links.
 */
export function linksIn(page: string): Link[] {
  return proseLines(page).flatMap(({ line, text }) => {
    const prose = text.replaceAll(/(`+)[^`]+\1/g, '')
    const targets = [
      ...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g),
      ...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/g),
      ...prose.matchAll(/\b(?:href|src)="([^"]+)"/g),
    ].map(([, target = '']) => target)
    return targets
      .filter((target) => !/^[a-z]+:/i.test(target))
      .map((target) => {
        const [path = '', anchor = null] = target.split('#')
        return { line, path: decodeURI(path), anchor }
      })
  })
}

/** Returns the anchors of a page: those that GitHub derives from headings, and those of `id` attributes. */
export function anchorsIn(page: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const { text } of proseLines(page)) {
    for (const [, id = ''] of text.matchAll(/\bid="([^"]+)"/g)) anchors.add(id)
    const [, heading] = /^#{1,6}\s+(.+?)\s*#*$/.exec(text) ?? []
    if (heading === undefined) continue
    const slug = slugOf(heading)
    let anchor = slug
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${slug}-${copy}`
    anchors.add(anchor)
  }
  return anchors
}

function slugOf(heading: string): string {
  const text = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

/** Returns the code of a page. A line of a fenced block that ends with `\` continues on the next line. */
export function codeIn(page: string): CodeLine[] {
  const found: CodeLine[] = []
  let continued: CodeLine | null = null
  for (const { line, text, isCode } of linesOf(page)) {
    if (isCode) {
      const whole: CodeLine = { line: continued?.line ?? line, text: `${continued?.text ?? ''}${text}`, isSpan: false }
      continued = whole.text.endsWith('\\') ? { ...whole, text: whole.text.slice(0, -1) } : null
      if (continued === null) found.push(whole)
      continue
    }
    continued = null
    for (const [, , span = ''] of text.matchAll(/(`+)([^`]+)\1/g)) found.push({ line, text: span, isSpan: true })
  }
  return found
}

/** Returns the unknown commands and options in calls of these programs in a line of code, as messages. */
export function commandProblems(programs: readonly Command[], code: string): string[] {
  return programs.flatMap((program) => {
    // A call ends at the next call of the same program, or at the end of the line.
    const call = new RegExp(String.raw`(?<![\w/.:@-])${program.name()}(?:\.js)? +(.*?)(?=${program.name()} |$)`, 'g')
    return [...code.matchAll(call)].flatMap(([, args = '']) => callProblems(program, wordsOf(args)))
  })
}

function callProblems(program: Command, words: readonly string[]): string[] {
  let command = program
  let path = program.name()
  let rest = words
  for (;;) {
    const [word = ''] = rest
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
    path = `${path} ${word}`
    rest = rest.slice(1)
  }
  const [word = ''] = rest
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
  if (isGroup && /^[a-z][a-z-]*$/.test(word)) return [`${path} has no command "${word}"`]
  const known = [...command.options.map(({ long }) => long), '--help', ...(command === program ? ['--version'] : [])]
  return optionsIn(rest)
    .filter((option) => !known.includes(option))
    .map((option) => `${path} has no option ${option}`)
}

/** Returns the words of a shell command up to its end: an operator, a redirection, or a comment. */
function wordsOf(code: string): string[] {
  const words = code.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  const end = words.findIndex((word) => /^(?:[|&;#)]|\d?[<>])/.test(word))
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replace(/[;,)]+$/, ''))
}

/** Returns the long options among these words, without their values. */
export function optionsIn(words: readonly string[]): string[] {
  return words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? [])
}

interface Line {
  /** Number of the line, from 1. */
  readonly line: number
  readonly text: string
  /** Whether the line is inside a fenced block. */
  readonly isCode: boolean
}

function proseLines(page: string): Line[] {
  return linesOf(page).filter(({ isCode }) => !isCode)
}

/** Returns the lines of a page without the fences of its code. */
function linesOf(page: string): Line[] {
  let fence: string | null = null
  const lines: Line[] = []
  page.split('\n').forEach((text, index) => {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(text) ?? []
    if (fence === null && mark !== undefined) fence = mark
    else if (fence !== null && mark?.startsWith(fence)) fence = null
    else lines.push({ line: index + 1, text, isCode: fence !== null })
  })
  return lines
}
