// Documentation is held against the code: links lead somewhere, every setting and command is documented, and what the
// README tells people to type exists.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { SETTINGS } from '../packages/operator/src/settings.ts'
import { DECISIONS_FOLDER, decisionProblems, isDecisionRecord } from './decision-records.ts'

const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md']).filter(
  (page) => !page.startsWith('docs/spec/'),
)
const everything = pages.map((page) => readFileSync(page, 'utf8')).join('\n')
const problems = [
  ...pages.flatMap(brokenLinks),
  ...pages.flatMap(lostFiles),
  ...undocumentedSettings(),
  ...unknownScripts(),
  ...decisions(),
  ...lostDecisions(),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

/** Relative links of a page whose target does not exist. */
function brokenLinks(page: string): string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(
    ([, target = '']) => target,
  )
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(path.join(path.dirname(page), decodeURI(target))))
    .map((target) => `${page}: the link ${target} leads nowhere`)
}

/** Paths of the repository in code spans of a page that do not exist. */
function lostFiles(page: string): string[] {
  const spans = [...readFileSync(page, 'utf8').matchAll(/`((?:packages|scripts|test|bench|deploy)\/[\w./-]+)`/g)]
  return spans
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(target))
    .map((target) => `${page}: the file ${target} does not exist`)
}

function undocumentedSettings(): string[] {
  return Object.values(SETTINGS)
    .filter(({ env }) => !everything.includes(env))
    .map(({ env }) => `docs/operate/settings.md: ${env} is not documented`)
}

/** `npm run X` in a page where package.json has no X. */
function unknownScripts(): string[] {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))
  return [...everything.matchAll(/npm run ([a-z:-]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => scripts[name] === undefined)
    .map((name) => `"npm run ${name}" is documented, and package.json has no such script`)
}

/** Decision records without the form that all have, and files in their folder that are neither a record nor the index. */
function decisions(): string[] {
  return readdirSync(DECISIONS_FOLDER)
    .filter((file) => file !== 'index.md')
    .flatMap((file) => {
      const name = `${DECISIONS_FOLDER}/${file}`
      if (!isDecisionRecord(file)) return [`${name}: the name of a record is its number and its decision in kebab-case`]
      return decisionProblems({ file, text: readFileSync(name, 'utf8') }, existsSync)
    })
}

/** Comments that name a decision record that does not exist. */
function lostDecisions(): string[] {
  const path = new RegExp(String.raw`${DECISIONS_FOLDER}/[\w-]+\.md`, 'g')
  return globSync('{packages,bench,scripts,test}/**/*.ts', { exclude: ['**/node_modules/**'] }).flatMap((file) =>
    (readFileSync(file, 'utf8').match(path) ?? [])
      .filter((record) => !existsSync(record))
      .map((record) => `${file}: ${record} does not exist`),
  )
}
