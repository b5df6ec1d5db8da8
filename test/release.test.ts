// `npm run release` in a copy of the files that it changes, and the rules for what is published.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
const MANIFESTS = ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })]
const VERSION_NOW: string = readJson(path.join(ROOT, 'package.json')).version
const CHANGELOG = `# Changelog

## Unreleased

### Added

- Something new. See [the guide](docs/guide.md) and [its site](https://example.com).

## ${VERSION_NOW} - 2026-01-01

- The first release.
`

// biome-ignore lint/suspicious/noExplicitAny: a test reads manifests without types
function readJson(file: string): any {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function projectCopy(changelog = CHANGELOG): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'store-export-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of [...MANIFESTS, 'package-lock.json']) cpSync(path.join(ROOT, file), path.join(folder, file))
  writeFileSync(path.join(folder, 'CHANGELOG.md'), changelog)
  return folder
}

function release(cwd: string, parameters: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env.PATH, ...environment }
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const script = path.join(ROOT, 'scripts', 'release.ts')
    execFile(process.execPath, [script, ...parameters], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

test('prepare sets one version in every package and in the lockfile', async () => {
  const folder = projectCopy()
  expect(await release(folder, ['prepare', '9.8.7'])).toMatchObject({ code: 0, stderr: '' })
  const lock = readJson(path.join(folder, 'package-lock.json'))
  const entries = MANIFESTS.map((file) => lock.packages[path.dirname(file).replace('.', '')])
  const manifests = MANIFESTS.map((file) => readJson(path.join(folder, file)))
  for (const { version, dependencies = {} } of [lock, ...entries, ...manifests]) {
    expect(version).toBe('9.8.7')
    for (const [name, wanted] of Object.entries(dependencies))
      if (name.startsWith('@store-export/')) expect(wanted).toBe('9.8.7')
  }
  expect(lock.packages['node_modules/commander'].version).not.toBe('9.8.7')
})

test('prepare dates the unreleased entries, and notes prints them', async () => {
  const folder = projectCopy()
  await release(folder, ['prepare', '9.8.7'])
  const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')
  expect(changelog).toMatch(/\n## Unreleased\n\n## 9\.8\.7 - \d{4}-\d\d-\d\d\n\n### Added\n/)
  const entries = '### Added\n\n- Something new. See [the guide](docs/guide.md) and [its site](https://example.com).\n'
  expect(await release(folder, ['notes', 'v9.8.7'])).toEqual({ code: 0, stdout: entries, stderr: '' })
})

test('notes of a workflow link to the files of the tag', async () => {
  const folder = projectCopy()
  await release(folder, ['prepare', '9.8.7'])
  const github = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'owner/name' }
  const { stdout } = await release(folder, ['notes', 'v9.8.7'], github)
  expect(stdout).toContain('[the guide](https://github.com/owner/name/blob/v9.8.7/docs/guide.md)')
  expect(stdout).toContain('[its site](https://example.com)')
})

test('notes rejects a tag if a package has another version', async () => {
  const { code, stderr } = await release(projectCopy(), ['notes', 'v9.8.7'])
  expect([code, stderr]).toEqual([1, `package.json: expects the version of the tag v9.8.7; got ${VERSION_NOW}\n`])
})

test('prepare rejects an invalid version, and a changelog without entries', async () => {
  expect((await release(projectCopy(), ['prepare', 'v9.8.7'])).stderr).toBe(
    'prepare: expects a version such as 0.2.0; got v9.8.7\n',
  )
  const empty = projectCopy('# Changelog\n\n## Unreleased\n\n## 0.0.1 - 2026-01-01\n\n- The first release.\n')
  expect((await release(empty, ['prepare', '9.8.7'])).stderr).toBe(
    'CHANGELOG.md: expects entries under "## Unreleased"; got none\n',
  )
})

test('the changelog has an unreleased section or a section of the present version', () => {
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')
  const headings = changelog.split('\n').filter((line) => line.startsWith('## '))
  expect(headings.some((heading) => heading === '## Unreleased' || heading.startsWith(`## ${VERSION_NOW} - `))).toBe(
    true,
  )
})

test('every public package is packed for publication and has a test that installs it', () => {
  const published = MANIFESTS.filter((file) => readJson(path.join(ROOT, file)).private !== true)
  expect(published.length).toBeGreaterThan(0)
  for (const file of published) {
    const manifest = readJson(path.join(ROOT, file))
    expect(manifest).toMatchObject({ license: 'MIT', files: ['dist'], description: expect.any(String) })
    expect(manifest.scripts.prepack).toBe('node ../../scripts/publish-package.ts build')
    expect(existsSync(path.join(ROOT, path.dirname(file), 'test', 'package.test.ts')), file).toBe(true)
  }
})

test('workflows pin every external action by commit', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT })
  const actions = workflows
    .flatMap((file) => readFileSync(path.join(ROOT, file), 'utf8').match(/uses: .*/g) ?? [])
    .filter((line) => !line.startsWith('uses: ./'))
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})
