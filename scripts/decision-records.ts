// Checks the form of decision records and generates their index, without reading files.

export interface DecisionRecord {
  /** Name of the record's file, such as `002-use-no-http-framework.md`. */
  readonly file: string
  readonly text: string
}

/** Folder of the records, relative to the root of the repository. */
export const DECISIONS_FOLDER = 'docs/contribute/decisions'

/** Whether the name of a file in the folder is that of a record. */
export function isDecisionRecord(file: string): boolean {
  return /^\d{3}-[a-z0-9-]+\.md$/.test(file)
}

const SECTIONS = ['Status', 'Context', 'Decision', 'Consequences', 'Evidence']
/** Heading of the list of rejected alternatives. The check requires the list, but not that it comes last. */
const ALTERNATIVES = '### Alternatives'
/**
 * Matches the start of the section Status: "Accepted" or a link to the record that replaces this one, and the date of
 * that decision.
 */
const STATUS = /^(?:Accepted|Superseded by \[[^\]]+\]\([^)]+\)), \d{4}-\d{2}-\d{2}\./
/**
 * The numbers of the records by the part of the project that they are about, in the order of the index.
 * `decisionProblems` reports a record that no part lists.
 */
const PARTS: Readonly<Record<string, readonly number[]>> = {
  API: [2, 3, 4, 7, 9, 10, 11, 18, 19, 20, 47, 55, 56],
  'Databases of stores': [1, 24, 25, 29, 30, 31, 32, 50, 51, 52, 91, 92, 93],
  'Keys and control database': [23, 38, 39, 40, 44, 45, 64, 76, 77, 80, 88],
  Dashboard: [13, 14, 15, 16, 46, 65, 66, 70, 71, 74, 78, 79, 82, 83, 85, 86],
  Operation: [28, 33, 35, 41, 81, 87, 94],
  'Sync tool and connectors': [17, 48, 57, 58, 59, 60, 61, 62, 63, 89, 90],
  Project: [5, 53, 54],
}

/** Maximum number of words of the whole file, as `wc -w` counts them. */
const WORDS_MAX = 400

/**
 * Returns the index page: a table of the records of each part, by number. Shows only statuses other than "Accepted".
 */
export function decisionIndex(records: readonly DecisionRecord[]): string {
  const sorted = records.toSorted((a, b) => a.file.localeCompare(b.file))
  const tables = Object.entries(PARTS).flatMap(([part, numbers]) => {
    const rows = sorted.filter((record) => numbers.includes(headOf(record)[0])).map(rowOf)
    return rows.length === 0 ? [] : [`## ${part}\n\n| Number | Decision |\n| ---: | --- |\n${rows.join('\n')}`]
  })
  return `# Decisions

This page is for maintainers. Each record says what was decided and why, what follows from the
decision, and which test or benchmark shows that. Read a record before you change code that it
describes.

[Architecture](../../concepts/architecture.md) explains the parts and the terms. A
[reading](../../spec/readings.md) such as R28 says how the project reads an unclear rule of the
specification.

Some numbers are missing, because their records were withdrawn, merged, or not written. A new record
doesn't use such a number.

${tables.join('\n\n')}

## Add a record

1. Copy the five sections of an existing record. Use the number after the highest one.
2. Write the decision as the title and as the name of the file. State the decision in the first
   sentence of the section Decision.
3. List each rejected alternative under \`${ALTERNATIVES}\`, at the end of the section Decision.
   Say in one sentence what the alternative does better, and why it lost ("but…", "because…").
4. End the section Consequences with what would reopen the decision, if you know it.
5. Give a result in the section Evidence: a figure with its base, command, and date, or what a test
   shows.
6. Use at most ${WORDS_MAX} words, as \`wc -w\` counts the file. Begin the status with "Accepted" or with
   "Superseded by" and a link, then the date of that decision: "Accepted, 2026-11-18."
7. Add the number to a part in \`scripts/decision-records.ts\`.
8. Run \`npm run generate\`.
`
}

function rowOf(record: DecisionRecord): string {
  const [number, title] = headOf(record)
  const status = firstSentence(sectionOf(record, 'Status'))
  return `| ${number} | [${title}](${record.file})${status.startsWith('Accepted') ? '' : `. ${status}`} |`
}

/**
 * Checks the form of a record, and that the code files that it names exist. Returns one message for each problem.
 * `exists` returns whether the repository has a path.
 */
export function decisionProblems(record: DecisionRecord, exists: (path: string) => boolean): string[] {
  const { file, text } = record
  const [number] = headOf(record)
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
  const words = wordsOf(text)
  const lost = [...text.matchAll(/`((?:packages|bench|deploy|scripts|test)\/[^`\s]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !exists(path))
  return [
    ...(number === Number(file.slice(0, 3)) ? [] : [`the title must be "# ${Number(file.slice(0, 3))}. …"`]),
    ...(Object.values(PARTS)
      .flat()
      .includes(Number(file.slice(0, 3)))
      ? []
      : ['its number must be in a part of PARTS in scripts/decision-records.ts']),
    ...(sections.join() === SECTIONS.join() ? [] : [`the sections must be ${SECTIONS.join(', ')}`]),
    ...(STATUS.test(sectionOf(record, 'Status'))
      ? []
      : ['the status must begin with "Accepted, YYYY-MM-DD." or "Superseded by [decision N](FILE), YYYY-MM-DD."']),
    ...(sectionOf(record, 'Decision').includes(`\n\n${ALTERNATIVES}\n\n- `)
      ? []
      : [`the section Decision must have "${ALTERNATIVES}" and a list of the rejected alternatives`]),
    ...(words <= WORDS_MAX ? [] : [`has ${words} words by wc -w, which counts the whole file: at most ${WORDS_MAX}`]),
    ...lost.map((path) => `${path} does not exist`),
  ].map((problem) => `${DECISIONS_FOLDER}/${file}: ${problem}`)
}

/** Returns the number and the title. The number is NaN if the first line has another form. */
function headOf({ text }: DecisionRecord): [number, string] {
  const [, number = 'none', title = ''] = /^# (\d+)\. (.+)\n/.exec(text) ?? []
  return [Number(number), title]
}

function sectionOf({ text }: DecisionRecord, name: string): string {
  return text.split(`\n## ${name}\n`)[1]?.split('\n## ')[0]?.trim() ?? ''
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0] ?? ''
}

/**
 * Returns the number of words of a file as `wc -w` counts them: everything between spaces, so also `-`, `##`, and `|`.
 */
function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
