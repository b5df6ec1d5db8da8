// Lists the clauses and readings of docs/spec that no test names in its title. Titles name them like `[AUTH-5] ...` or
// `[PAG-4, R15] ...`. Exits with 1 if the list is not empty.

import { globSync, readFileSync } from 'node:fs'

/** Matches the ID of a reading, such as R15, or of a clause, such as AUTH-5. */
const ID = String.raw`(?:R\d+|[A-Z]+(?:-[A-Z0-9]+)+)`
const LIST = new RegExp(String.raw`\[(${ID}(?:[ ,]+${ID})*)\]`, 'g')
const clauses = readFileSync('docs/spec/clauses.tsv', 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
const readings = [...readFileSync('docs/spec/readings.md', 'utf8').matchAll(/^\| (R\d+) \| (.+?) \| /gm)]
const all = [...clauses, ...readings.map(([, id, text]) => [id, text])]
const named = new Set(globSync('{packages,test}/**/*.test.ts').flatMap(namesIn))
const unnamed = all.filter(([id = '']) => !named.has(id))
for (const [id, text] of unnamed) console.error(`${id}\t${text}`)
console.log(`${all.length - unnamed.length} of ${all.length} clauses and readings are named by a test`)
process.exitCode = unnamed.length === 0 ? 0 : 1

function namesIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(LIST)].flatMap(([, ids = '']) => ids.split(/[ ,]+/))
}
