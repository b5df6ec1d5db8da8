// Tests `npm run generate`, which renews stale files. With `--check`, the command names stale files and fails.

import { execFile } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../scripts/generate.ts', import.meta.url))
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-export-generate-'))
})
afterEach(() => rm(folder, { recursive: true }))

function generate(...options: string[]): Promise<{ code: number; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...options, folder], (error, _, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code), errors })
    })
  })
}

it('if generated files are missing, the first npm run generate writes them, and the second writes nothing', async () => {
  expect((await generate()).errors).toContain('wrote docs/api/reference/index.md')
  expect(await generate()).toEqual({ code: 0, errors: '' })
  expect(await generate('--check')).toEqual({ code: 0, errors: '' })
})

it('if a generated file is stale, generate --check names the file, fails, and writes nothing', async () => {
  await generate()
  await appendFile(join(folder, 'docs/api/errors/NOT_FOUND.md'), 'edited by hand\n')
  const { code, errors } = await generate('--check')
  expect(code).toBe(1)
  expect(errors).toBe('docs/api/errors/NOT_FOUND.md is stale: run npm run generate\n')
  expect(await readFile(join(folder, 'docs/api/errors/NOT_FOUND.md'), 'utf8')).toContain('edited by hand')
})

it('if a generated page documents an error code that no longer exists, generate --check fails and says to delete the page', async () => {
  await generate()
  await writeFile(join(folder, 'docs/api/errors/GONE.md'), '')
  expect(await generate('--check')).toEqual({
    code: 1,
    errors: 'docs/api/errors/GONE.md is generated no longer: delete it\n',
  })
})

it('npm run generate copies examples from docs/api/examples.json into the API reference', async () => {
  await mkdir(join(folder, 'docs/api'), { recursive: true })
  const examples = { getStore: { path: '/api/v1/store', status: 200, body: { data: { name: 'An example store' } } } }
  await writeFile(join(folder, 'docs/api/examples.json'), JSON.stringify(examples))
  await generate()
  expect(await readFile(join(folder, 'docs/api/reference/index.md'), 'utf8')).toContain('An example store')
})

it('if a page has generated sections, npm run generate replaces only these sections', async () => {
  const page = (section: string) =>
    `# Page\n\n<!-- Generated: metrics. From the code. -->\n${section}<!-- End: metrics -->\n\nText.\n<!-- Generated: events. From the code. -->\n<!-- End: events -->\n`
  await mkdir(join(folder, 'docs/operate'), { recursive: true })
  const path = join(folder, 'docs/operate/metrics-and-events.md')
  await writeFile(path, page('old\n'))
  expect((await generate()).errors).toContain('wrote docs/operate/metrics-and-events.md')
  const written = await readFile(path, 'utf8')
  expect(written).toMatch(/^# Page\n\n<!-- .* -->\n\n\| Metric \|[\s\S]*\n\n<!-- End: metrics -->\n\nText\.\n/)
  expect(written).not.toContain('old')
  expect(await generate('--check')).toEqual({ code: 0, errors: '' })
})
