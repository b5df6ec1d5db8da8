// Writes the files of generated-files.ts, and the generated sections of pages that people write. With `--check`, it
// writes nothing, and exits with 1 if a file is stale or if an error page is no longer generated. An argument replaces
// the root folder of the project.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DECISIONS_FOLDER, type DecisionRecord, isDecisionRecord } from './decision-records.ts'
import { GENERATED_SECTIONS, generatedFiles, type LiveExample, withSections } from './generated-files.ts'

const ROOT =
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? fileURLToPath(new URL('..', import.meta.url))
const EXAMPLES = 'docs/api/examples.json'
const ERRORS_FOLDER = 'docs/api/errors'

const files = new Map([...generatedFiles(await readExamples(), await readDecisions()), ...(await pagesWithSections())])
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

/** Returns the pages that people write, with their generated sections. Leaves out pages that don't exist. */
async function pagesWithSections(): Promise<[string, string][]> {
  const pages = [...GENERATED_SECTIONS].map(async ([path, sections]): Promise<[string, string][]> => {
    const page = await read(path)
    return page === null ? [] : [[path, withSections(page, sections)]]
  })
  return (await Promise.all(pages)).flat()
}

async function staleFiles(expected: ReadonlyMap<string, string>): Promise<string[]> {
  const paths = [...expected.keys()]
  const present = await Promise.all(paths.map(read))
  return paths.filter((path, index) => present[index] !== expected.get(path))
}

/** Returns the pages of error codes that no longer exist. */
async function leftOverFiles(expected: ReadonlyMap<string, string>): Promise<string[]> {
  const names = await readdir(join(ROOT, ERRORS_FOLDER)).catch(() => [])
  return names.map((name) => `${ERRORS_FOLDER}/${name}`).filter((path) => !expected.has(path))
}

/** Returns the responses of a demo store by endpoint ID; empty if the file doesn't exist. */
async function readExamples(): Promise<Record<string, LiveExample>> {
  const text = await read(EXAMPLES)
  return text === null ? {} : (JSON.parse(text) as Record<string, LiveExample>)
}

async function readDecisions(): Promise<DecisionRecord[]> {
  const names = await readdir(join(ROOT, DECISIONS_FOLDER)).catch(() => [])
  const records = names.filter(isDecisionRecord)
  return Promise.all(records.map(async (file) => ({ file, text: (await read(`${DECISIONS_FOLDER}/${file}`)) ?? '' })))
}

/** Returns the text of a file; null if it doesn't exist. */
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
