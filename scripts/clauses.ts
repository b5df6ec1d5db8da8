// Which clauses and readings of docs/spec no test names. A test names them in its title: `[AUTH-5] ...`, `[PAG-4, R15] ...`.
// Exits 1 where one is left that is not the business of a part still to come.

import { globSync, readFileSync } from 'node:fs'

/** Clauses that belong to parts of the product that are not built yet, and the part. */
const TO_COME: Readonly<Record<string, string>> = {
  'SYNC-1': 'the sync tool',
  'SYNC-2': 'the sync tool',
  'SYNC-3': 'the sync tool',
  'SYNC-4': 'the sync tool',
}

const ID = String.raw`(?:R\d+|[A-Z]+(?:-[A-Z0-9]+)+)`
const LIST = new RegExp(String.raw`\[(${ID}(?:[ ,]+${ID})*)\]`, 'g')
const clauses = readFileSync('docs/spec/clauses.tsv', 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
const readings = [...readFileSync('docs/spec/readings.md', 'utf8').matchAll(/^\| (R\d+) \| (.+?) \| /gm)]
const all = [...clauses, ...readings.map(([, id, text]) => [id, text])]
const named = new Set(globSync('{packages,test}/**/*.test.ts').flatMap(namesIn))
const open = all.filter(([id = '']) => !named.has(id) && TO_COME[id] === undefined)
for (const [id, text] of open) console.error(`${id}\t${text}`)
console.log(
  `${all.length - open.length - Object.keys(TO_COME).length} of ${all.length} clauses and readings are named by a test`,
)
process.exitCode = open.length === 0 ? 0 : 1

function namesIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(LIST)].flatMap(([, ids = '']) => ids.split(/[ ,]+/))
}
