// Writes the generated files: the reference, a page for each error, the OpenAPI document, the index of decisions. With
// `--check` it writes nothing, names each file that is stale, and ends with 1 if there is one. A folder can be named in
// place of the project's own.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DECISIONS_FOLDER, type DecisionRecord, isDecisionRecord } from './decision-records.ts'
import { generatedFiles, type LiveExample } from './generated-files.ts'

const ROOT =
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? fileURLToPath(new URL('..', import.meta.url))
const EXAMPLES = 'docs/api/examples.json'
const ERRORS_FOLDER = 'docs/api/errors'

const files = generatedFiles(await readExamples(), await readDecisions())
const stale = await staleFiles(files)
const left = await leftOverFiles(files)
if (process.argv.includes('--check')) {
  for (const path of stale) console.error(`${path} is stale: run npm run generate`)
  for (const path of left) console.error(`${path} is generated no longer: delete it`)
  if (stale.length + left.length > 0) process.exitCode = 1
} else {
  for (const path of stale) await write(path, files.get(path) ?? '')
  for (const path of left) console.error(`${path} is generated no longer: delete it`)
}

async function staleFiles(expected: ReadonlyMap<string, string>): Promise<string[]> {
  const paths = [...expected.keys()]
  const present = await Promise.all(paths.map(read))
  return paths.filter((path, index) => present[index] !== expected.get(path))
}

/** Pages of codes that are gone. */
async function leftOverFiles(expected: ReadonlyMap<string, string>): Promise<string[]> {
  const names = await readdir(join(ROOT, ERRORS_FOLDER)).catch(() => [])
  return names.map((name) => `${ERRORS_FOLDER}/${name}`).filter((path) => !expected.has(path))
}

/** Examples met on a demo store, by endpoint id; none where the file is not there. */
async function readExamples(): Promise<Record<string, LiveExample>> {
  const text = await read(EXAMPLES)
  return text === null ? {} : (JSON.parse(text) as Record<string, LiveExample>)
}

async function readDecisions(): Promise<DecisionRecord[]> {
  const names = await readdir(join(ROOT, DECISIONS_FOLDER)).catch(() => [])
  const records = names.filter(isDecisionRecord)
  return Promise.all(records.map(async (file) => ({ file, text: (await read(`${DECISIONS_FOLDER}/${file}`)) ?? '' })))
}

async function read(path: string): Promise<string | null> {
  return readFile(join(ROOT, path), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(ROOT, path)), { recursive: true })
  await writeFile(join(ROOT, path), text)
  console.error(`wrote ${path}`)
}
