// Checks that sentences use the field's terms, name the actor, and have at most 25 words. Arguments limit the output to
// files whose paths start with one of them. `--count` as the first argument instead prints the number of findings of
// each folder, and always exits with 0.

import { globSync, readFileSync } from 'node:fs'
import { type Prose, proseOfMarkdown, proseOfTypeScript } from './prose.ts'

/** A word to avoid, and what to write instead. */
interface Rule {
  readonly pattern: RegExp
  readonly instead: string
  /** Kinds of text to which the rule applies; all by default. */
  readonly kinds?: readonly Prose['kind'][]
}

const SENTENCE_WORDS_MAX = 25

const RULES: readonly Rule[] = [
  { pattern: /(?:^|[.;:] )(?:Who|Whoever)\b(?![^.]*\?)/, instead: 'name the actor: the client, the service, you' },
  { pattern: /\b(?:nobody|somebody|whoever|of ours|is ours)\b/i, instead: 'name the actor' },
  { pattern: /\b(?:mend|mends|mended|mending)\b/i, instead: 'fix' },
  { pattern: /\b(?:begun|anew)\b/i, instead: 'started, restarted, again' },
  { pattern: /(?<!-)\bstamps?\b/i, instead: 'timestamp' },
  { pattern: /\binstants?\b/i, instead: 'timestamp' },
  {
    pattern: /\b(?:an?|the|each|every|its|their|no|this|whole|unread|one|first|last) answers?\b/i,
    instead: 'response',
  },
  { pattern: /\bfaults?\b/i, instead: 'error' },
  { pattern: /\bdefects? of\b/i, instead: 'internal error' },
  { pattern: /\bsurprises?\b/i, instead: 'contract violation, unexpected value' },
  { pattern: /\b(?:observations?|observes?|observed)\b/i, instead: 'event' },
  { pattern: /\bbarriers?\b/i, instead: 'wait for open transactions' },
  { pattern: /\bgatherings?\b/i, instead: 'batcher' },
  { pattern: /\bg(?:ive|ives|iven|ave|iving) (?:out|back)\b/i, instead: 'return, release' },
  { pattern: /\bask(?:s|ed|ing)? for\b/i, instead: 'request' },
  { pattern: /\bkept\b/i, instead: 'cached, stored, or retained' },
  // German texts have the word "E-Mail".
  { pattern: /\b[Ee]-mails?\b/, instead: 'email' },
  { pattern: /\bcancelled\b/, instead: 'canceled', kinds: ['markdown'] },
  { pattern: /\banswer(?:s|ed|ing)?\b/i, instead: 'response, respond' },
  { pattern: /\b(?:goes|go|went|gone) on\b/i, instead: 'continue' },
  { pattern: /\bhears? of\b/i, instead: 'gets, is called with' },
  { pattern: /\bbeside\b/i, instead: 'next to' },
  { pattern: /\bunsent\b/i, instead: 'unread responses' },
  { pattern: /\b(?:unmet|form numbers?|tellers?)\b/i, instead: 'see the word list' },
  { pattern: /\bthe house\b/i, instead: 'package layout' },
  { pattern: /\bclock minutes?\b/i, instead: 'one-minute window' },
  // Excel's menu has the item "Blank Query".
  { pattern: /\bblanks?\b(?! Query\b)/i, instead: 'space' },
  { pattern: /\bbehind the cursor\b/i, instead: 'after the cursor' },
  { pattern: /\btrue cop(?:y|ies)\b/i, instead: 'a copy in sync' },
  { pattern: /\bwalk(?:s|ed|ing)?\b/i, instead: 'full sync, page through', kinds: ['markdown', 'string'] },
]

const FILES = [
  '*.md',
  'docs/**/*.md',
  '{packages,bench,connectors,scripts,test}/**/*.{ts,md}',
  'site/*.ts',
  '.github/**/*.md',
]
/** Excluded files: the specification, and files that are generated from checked ones. */
const EXCLUDED =
  /node_modules|^packages\/\w+\/dist\/|^docs\/spec\/|^scripts\/terminology\.ts$|^bench\/peers\/programs\//

const findings = globSync(FILES)
  .filter((file) => !EXCLUDED.test(file))
  .sort()
  .flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const all = file.endsWith('.md') ? proseOfMarkdown(source) : proseOfTypeScript(file, source)
    return all.flatMap((prose) => findingsIn(prose).map((what) => ({ file, line: prose.line, what })))
  })

const [only, ...paths] = process.argv.slice(2)
if (only === '--count') {
  const folders = Map.groupBy(findings, ({ file }) =>
    file
      .split('/')
      .slice(0, 3)
      .join('/')
      .replace(/\/[^/]*\.\w+$/, ''),
  )
  for (const [folder, { length }] of [...folders].sort(([, a], [, b]) => b.length - a.length))
    console.log(`${String(length).padStart(6)}  ${folder}`)
  console.log(`${String(findings.length).padStart(6)}  in all`)
} else {
  const wanted = only === undefined ? [''] : [only, ...paths]
  const shown = findings.filter(({ file }) => wanted.some((path) => file.startsWith(path)))
  for (const { file, line, what } of shown) console.error(`${file}:${line}: ${what}`)
  process.exitCode = shown.length === 0 ? 0 : 1
}

function findingsIn({ text, kind }: Prose): string[] {
  const words = RULES.flatMap(({ pattern, instead, kinds }) => {
    const match = kinds === undefined || kinds.includes(kind) ? pattern.exec(text) : null
    return match === null ? [] : [`"${match[0].trim()}": write ${instead}`]
  })
  const long = text
    .split(/(?<=[.!?:;])\s+|\n+/)
    .map((sentence) => sentence.split(/\s+/).length)
    .filter((count) => count > SENTENCE_WORDS_MAX)
    .map((count) => `a sentence of ${count} words: at most ${SENTENCE_WORDS_MAX}`)
  return [...words, ...long]
}
