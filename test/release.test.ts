// Tests `npm run release` in a copy of the files that it changes, and the rules for published packages.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
const WORKSPACES = ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })]
const MANIFESTS = [...WORKSPACES, 'connectors/n8n/package.json']
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

test('`release prepare` sets the version of the release in every package and in the lockfile', async () => {
  const folder = projectCopy()
  expect(await release(folder, ['prepare', '9.8.7'])).toMatchObject({ code: 0, stderr: '' })
  const lock = readJson(path.join(folder, 'package-lock.json'))
  const entries = WORKSPACES.map((file) => lock.packages[path.dirname(file).replace('.', '')])
  const manifests = MANIFESTS.map((file) => readJson(path.join(folder, file)))
  for (const { version, dependencies = {} } of [lock, ...entries, ...manifests]) {
    expect(version).toBe('9.8.7')
    for (const [name, wanted] of Object.entries(dependencies))
      if (name.startsWith('@store-export/')) expect(wanted).toBe('9.8.7')
  }
  expect(lock.packages['node_modules/commander'].version).not.toBe('9.8.7')
})

test('`release prepare` moves the unreleased changelog entries under a dated heading, and `release notes` prints these entries', async () => {
  const folder = projectCopy()
  await release(folder, ['prepare', '9.8.7'])
  const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')
  expect(changelog).toMatch(/\n## Unreleased\n\n## 9\.8\.7 - \d{4}-\d\d-\d\d\n\n### Added\n/)
  const entries = '### Added\n\n- Something new. See [the guide](docs/guide.md) and [its site](https://example.com).\n'
  expect(await release(folder, ['notes', 'v9.8.7'])).toEqual({ code: 0, stdout: entries, stderr: '' })
})

test('if `release notes` runs in a GitHub workflow, relative links become links to files at the tag of the release', async () => {
  const folder = projectCopy()
  await release(folder, ['prepare', '9.8.7'])
  const github = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'owner/name' }
  const { stdout } = await release(folder, ['notes', 'v9.8.7'], github)
  expect(stdout).toContain('[the guide](https://github.com/owner/name/blob/v9.8.7/docs/guide.md)')
  expect(stdout).toContain('[its site](https://example.com)')
})

test('if the version of package.json differs from the tag of the release, `release notes` fails and names both versions', async () => {
  const { code, stderr } = await release(projectCopy(), ['notes', 'v9.8.7'])
  expect([code, stderr]).toEqual([1, `package.json: expects the version of the tag v9.8.7; got ${VERSION_NOW}\n`])
})

test('if the version is invalid or the changelog has no entries, `release prepare` fails and says what it expects', async () => {
  expect((await release(projectCopy(), ['prepare', 'v9.8.7'])).stderr).toBe(
    'prepare: expects a version such as 0.2.0; got v9.8.7\n',
  )
  const empty = projectCopy('# Changelog\n\n## Unreleased\n\n## 0.0.1 - 2026-01-01\n\n- The first release.\n')
  expect((await release(empty, ['prepare', '9.8.7'])).stderr).toBe(
    'CHANGELOG.md: expects entries under "## Unreleased"; got none\n',
  )
})

test('the changelog has a section for the current version or for unreleased changes', () => {
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')
  const headings = changelog.split('\n').filter((line) => line.startsWith('## '))
  expect(headings.some((heading) => heading === '## Unreleased' || heading.startsWith(`## ${VERSION_NOW} - `))).toBe(
    true,
  )
})

test('every public package has a build step for publication and a test that installs it', () => {
  const published = WORKSPACES.filter((file) => readJson(path.join(ROOT, file)).private !== true)
  expect(published.length).toBeGreaterThan(0)
  for (const file of published) {
    const manifest = readJson(path.join(ROOT, file))
    expect(manifest).toMatchObject({ license: 'MIT', files: ['dist'], description: expect.any(String) })
    expect(manifest.scripts.prepack).toBe('node ../../scripts/publish-package.ts build')
    expect(existsSync(path.join(ROOT, path.dirname(file), 'test', 'package.test.ts')), file).toBe(true)
  }
})

test('every external action in a GitHub workflow is pinned to a commit', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT })
  const actions = workflows
    .flatMap((file) => readFileSync(path.join(ROOT, file), 'utf8').match(/uses: .*/g) ?? [])
    .filter((line) => !line.startsWith('uses: ./'))
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('the package of the n8n nodes contains the files that n8n loads, and has no dependencies', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'n8n-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [path.join(ROOT, 'scripts', 'build-n8n-node.ts'), folder])
  const file = path.join(folder, stdout.trim())
  const files = (await run('tar', ['--list', '--gzip', '--file', file])).stdout.split('\n')
  const { n8n, dependencies } = readJson(path.join(ROOT, 'connectors/n8n/package.json'))
  for (const each of [...n8n.nodes, ...n8n.credentials, 'LICENSE', 'README.md', 'dist/icons/storeExport.svg'])
    expect(files).toContain(`package/${each}`)
  for (const each of n8n.nodes) expect(files).toContain(`package/${each.replace(/js$/, 'json')}`)
  expect(dependencies).toBeUndefined()
})
