// Prevents the documentation from naming things that do not exist. Links and anchors must lead somewhere. Every
// command, option, variable, metric, file, and npm script on a page must exist, and every event in docs/operate. The
// script also checks the pages that the code names, and the form of the decision records.

import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { AUDIT_ACTIONS } from '../packages/control/src/control-event.ts'
import { EVENTS } from '../packages/operator/src/events.ts'
import { METRICS, type MetricDeclaration } from '../packages/operator/src/metric-declarations.ts'
import { SETTINGS } from '../packages/operator/src/settings.ts'
import { commandsOf } from './cli-reference.ts'
import { DECISIONS_FOLDER, decisionProblems, isDecisionRecord } from './decision-records.ts'
import { anchorsIn, type CodeLine, codeIn, commandProblems, linksIn, optionsIn } from './markdown-claims.ts'
import { STORE_EXPORT, STORE_SYNC } from './programs.ts'

/** Variables that are not settings of the service, but of clients or of tests. */
const OTHER_VARIABLES = [
  'STORE_EXPORT_KEY',
  'STORE_EXPORT_KEY_FILE',
  'STORE_EXPORT_URL',
  'STORE_EXPORT_MYSQL',
  'STORE_EXPORT_ROUNDS',
  'STORE_SYNC_HISTORIES',
  'STORE_SYNC_SEED',
]
/** Names in databases, of a Python package, and of a label of Prometheus, that start like the name of a metric. */
const OTHER_NAMES = /^store_export_(?:reader|owner|store|control|dlt|docs)(?:_|$)/
/** Options of other programs: psql, docker, Node.js. */
const OTHER_OPTIONS = ['--single-transaction', '--time', '--max-semi-space-size', '--heap-growing-percent', '--import']
/** Code that looks like a command: the name of a database session, and a message with the name of the program. */
const NOT_COMMANDS = ['store-export command line', 'FILE exists and store-sync did not create it']
/** Lines that a stranger reads before trying the product. Details belong on the quickstart page. */
const README_LINES_MAX = 60

const PROGRAMS = [STORE_EXPORT.program, STORE_SYNC.program]
const OPTIONS = new Set([
  ...PROGRAMS.flatMap(commandsOf).flatMap(({ options }) => options.map(({ long }) => long ?? '')),
  ...scriptOptions(),
  ...OTHER_OPTIONS,
  '--help',
  '--version',
])
const VARIABLES = [...Object.values(SETTINGS).map(({ env }) => env), ...OTHER_VARIABLES]
const SERIES = new Set(Object.values(METRICS).flatMap(seriesOf))
/** Names of log events, and actions in the event `audit.recorded`. */
const EVENT_NAMES: readonly string[] = [...Object.keys(EVENTS), ...AUDIT_ACTIONS]
const EVENT_NOUNS = new Set(EVENT_NAMES.map((event) => event.split('.')[0]))
const SCRIPTS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)

const pages = globSync(['*.md', 'docs/**/*.md', '{packages,bench,connectors,deploy,.github}/**/*.md'], {
  exclude: ['**/node_modules/**', 'docs/spec/**'],
})
const problems = [...pages.flatMap(pageProblems), ...decisions(), ...lostPages(), ...readme()]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

/** Returns a problem if the README is too long for a first look. */
function readme(): string[] {
  const lines = readFileSync('README.md', 'utf8').split('\n').length - 1
  return lines <= README_LINES_MAX ? [] : [`README.md: has ${lines} lines: at most ${README_LINES_MAX}`]
}

function pageProblems(page: string): string[] {
  const text = readFileSync(page, 'utf8')
  const code = codeIn(text)
  const found = [
    ...linkProblems(page, text),
    ...code.flatMap((each) => codeProblems(each).map((what) => ({ line: each.line, what }))),
    ...(page.startsWith('docs/operate/') ? code.flatMap(eventProblems) : []),
    ...current(page, text)
      .split('\n')
      .flatMap((line, index) => lineProblems(line).map((what) => ({ line: index + 1, what }))),
  ]
  return found.map(({ line, what }) => `${page}:${line}: ${what}`)
}

function linkProblems(page: string, text: string): { line: number; what: string }[] {
  return linksIn(text).flatMap(({ line, path: target, anchor }) => {
    const file = target === '' ? page : path.join(path.dirname(page), target)
    if (!existsSync(file)) return [{ line, what: `the link ${target} leads nowhere` }]
    if (anchor === null || !file.endsWith('.md') || statSync(file).isDirectory()) return []
    if (anchorsIn(readFileSync(file, 'utf8')).has(anchor)) return []
    return [{ line, what: `${file} has no anchor #${anchor}` }]
  })
}

function codeProblems({ text, isSpan }: CodeLine): string[] {
  if (NOT_COMMANDS.some((name) => text.startsWith(name))) return []
  const problems = commandProblems(PROGRAMS, text)
  // A block can have commands of other programs, whose options this script doesn't know.
  if (!isSpan) return problems
  const unknown = text.startsWith('--') ? optionsIn(text.split(' ')).filter((option) => !OPTIONS.has(option)) : []
  const isLost = /^(?:packages|scripts|test|bench|deploy)\/[\w./-]+$/.test(text) && !existsSync(text)
  return [
    ...problems,
    ...unknown.map((option) => `no program has the option ${option}`),
    ...(isLost ? [`the file ${text} does not exist`] : []),
  ]
}

/** Returns an error if a code span looks like an event that doesn't exist. */
function eventProblems({ line, text }: CodeLine): { line: number; what: string }[] {
  const [, noun = ''] = /^([a-z_]+)\.[a-z_]+$/.exec(text) ?? []
  return !EVENT_NOUNS.has(noun) || EVENT_NAMES.includes(text) ? [] : [{ line, what: `there is no event ${text}` }]
}

/** Returns the text of a page. The changelog's sections about removed names become empty lines. */
function current(page: string, text: string): string {
  if (page !== 'CHANGELOG.md') return text
  return text.replaceAll(/^### Removed\n[\s\S]*?(?=^##|(?![\s\S]))/gm, (removed) => removed.replaceAll(/.+/g, ''))
}

function lineProblems(line: string): string[] {
  // A name that ends with an underscore stands for all names that start with it.
  const variables = (line.match(/STORE_(?:EXPORT|SYNC)_[A-Z_]+/g) ?? []).filter(
    (name) => !VARIABLES.some((known) => known === name || (name.endsWith('_') && known.startsWith(name))),
  )
  const metrics = (line.match(/store_export_[a-z_]+/g) ?? []).filter(
    (name) => !SERIES.has(name) && !OTHER_NAMES.test(name),
  )
  const scripts = [...line.matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !SCRIPTS.includes(name))
  return [
    ...(/^(?:<{7}|>{7}) /.test(line) ? ['a merge left this conflict marker'] : []),
    ...variables.map((name) => `there is no variable ${name}`),
    ...metrics.map((name) => `there is no metric ${name}`),
    ...scripts.map((name) => `package.json has no script ${name}`),
  ]
}

function seriesOf({ name, type }: MetricDeclaration): string[] {
  return type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
}

/** Returns the options of the project's own scripts, as their source declares them. */
function scriptOptions(): string[] {
  const files = globSync(['bench/**/*.ts', 'scripts/*.ts'], { exclude: ['**/node_modules/**'] })
  const declaration = /(?:'([a-z][a-z-]+)'|\b([a-z]+)): \{\s*type: '(?:string|boolean)'|flag: '([a-z-]+)'/g
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declaration)].map((names) => `--${names[1] ?? names[2] ?? names[3]}`),
  )
}

/** Returns the errors of decision records, and the files in their folder that are neither a record nor the index. */
function decisions(): string[] {
  return readdirSync(DECISIONS_FOLDER)
    .filter((file) => file !== 'index.md')
    .flatMap((file) => {
      const name = `${DECISIONS_FOLDER}/${file}`
      if (!isDecisionRecord(file)) return [`${name}: the name of a record is its number and its decision in kebab-case`]
      return decisionProblems({ file, text: readFileSync(name, 'utf8') }, existsSync)
    })
}

/** Returns the pages that the code names but that don't exist. Leaves out the tests that name pages of their own. */
function lostPages(): string[] {
  const page = /(?<![\w/.-])(?:\.\.\/)*(docs\/[\w/-]+\.(?:md|sql|svg|json|tsv))/g
  const files = globSync('{packages,bench,scripts,test}/**/*.ts', {
    exclude: ['**/node_modules/**', 'test/{generate,prose,release}.test.ts'],
  })
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(page)]
      .filter(([, name = '']) => !existsSync(name))
      .map(([, name]) => `${file}: ${name} does not exist`),
  )
}
