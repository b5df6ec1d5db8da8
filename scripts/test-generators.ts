// Tests generators of clients. Generates a client with each of them from a live demo, compiles a small program with the
// client, and runs the program against the demo. Also tests the demo with Schemathesis, which sends random requests.
// Prints a table.
//
// Run: npm run test:generators

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { GeneratorTest } from './generators/generator-test.ts'
import { GO_TESTS } from './generators/go.ts'
import { GUIDE_TEST } from './generators/guide.ts'
import { NPM_TESTS } from './generators/npm.ts'
import { OPENAPI_GENERATOR_TESTS } from './generators/openapi-generator.ts'
import { PYTHON_TESTS } from './generators/python.ts'
import { type Row, runClients } from './generators/run-clients.ts'
import { RUST_TESTS } from './generators/rust.ts'
import { runSchemathesis, SCHEMATHESIS } from './generators/schemathesis.ts'
import type { VitestReport } from './nightly-report.ts'

const TESTS: readonly GeneratorTest[] = [
  ...NPM_TESTS,
  ...PYTHON_TESTS,
  ...OPENAPI_GENERATOR_TESTS,
  ...GO_TESTS,
  ...RUST_TESTS,
  GUIDE_TEST,
]
const NAMES = [...TESTS.map(({ name }) => name), SCHEMATHESIS.name]
const CACHE = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache')
/** Default of `--examples`. */
const EXAMPLES = '25'

/** Generators that are not tested, with the reason for the table. */
const NOT_RUN: readonly Row[] = [
  {
    name: 'openapi-generator-csharp',
    version: '7.25.0',
    result: 'not run',
    seconds: 0,
    note: 'its clients need Polly and JsonSubTypes, which only NuGet has',
  },
]

const HELP = `Usage: npm run test:generators [-- [--cache <path>] [--examples <number>] [--report <path>] [NAME...]]

Generate a client with each generator, compile it, and let it read all orders of a running demo.

  NAME                 run only these tests: ${NAMES.join(', ')}
  --cache <path>       install everything in this folder, and use it again; default: ~/.cache/store-export/generators
  --examples <number>  let Schemathesis send this many requests per operation; default: ${EXAMPLES}
  --report <path>      also write the results to this file, in the format of vitest's JSON report
  --help               print this help

The generators come from npm, PyPI, Maven Central, Go modules, and crates.io. The PHP client needs
Guzzle from Debian. The table names each test that needs a program which this machine does not have.

If a test fails, its generated client and its log stay in a folder of the temporary files.

Exit codes: 0 no test failed, 1 a test failed, 2 wrong arguments.
`

const EXIT_FAILED = 1
const EXIT_USAGE = 2

process.exitCode = await main()

async function main(): Promise<number> {
  const args = readArguments()
  if (args === null) return EXIT_USAGE
  if (args.isHelp) {
    console.log(HELP)
    return 0
  }
  const selected = TESTS.filter(({ name }) => args.names.length === 0 || args.names.includes(name))
  // The usual folder for such files, node_modules/.cache, is no choice: TypeScript compiles no file below node_modules.
  const work = mkdtempSync(path.join(os.tmpdir(), 'store-export-generators-'))
  const folders = { work, installed: args.cache }
  const rows = selected.length === 0 ? [] : await runClients(selected, folders)
  if (args.names.length === 0 || args.names.includes(SCHEMATHESIS.name))
    rows.push(await runSchemathesis(folders, args.examples))
  if (args.names.length === 0) rows.push(...NOT_RUN)
  console.log(`\n${tableOf(rows)}\n`)
  if (args.report !== undefined) writeFileSync(args.report, JSON.stringify(reportOf(rows)))
  const failed = count(rows, 'failed')
  console.log(`${count(rows, 'passed')} passed, ${failed} failed, ${count(rows, 'not run')} skipped`)
  // After a failure, the generated clients and logs stay.
  if (failed > 0) return EXIT_FAILED
  rmSync(work, { recursive: true })
  return 0
}

interface Arguments {
  readonly names: readonly string[]
  readonly cache: string
  readonly examples: number
  readonly report: string | undefined
  readonly isHelp: boolean
}

function readArguments(): Arguments | null {
  try {
    const { values, positionals } = parseArgs({
      options: {
        cache: { type: 'string', default: path.join(CACHE, 'store-export', 'generators') },
        examples: { type: 'string', default: EXAMPLES },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const unknown = positionals.find((name) => !NAMES.includes(name))
    if (unknown !== undefined) throw new Error(`${unknown}: must be one of ${NAMES.join(', ')}`)
    if (!/^[1-9]\d{0,3}$/.test(values.examples))
      throw new Error(`--examples: must be a whole number from 1 to 9999; got ${values.examples}`)
    const cache = path.resolve(values.cache)
    const { report, help } = values
    return { names: positionals, cache, examples: Number(values.examples), report, isHelp: help }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`)
    return null
  }
}

/** Returns the results as the members of vitest's JSON report that `npm run test:nightly` reads. */
function reportOf(rows: readonly Row[]): VitestReport {
  const assertionResults = rows.map(({ name, version, result, seconds, note }) => ({
    fullName: [`${name} ${version}`, note].filter((text) => text !== '').join(': '),
    status: result,
    duration: seconds * 1000,
  }))
  return {
    numPassedTests: count(rows, 'passed'),
    numFailedTests: count(rows, 'failed'),
    testResults: [{ assertionResults }],
  }
}

function count(rows: readonly Row[], result: Row['result']): number {
  return rows.filter((row) => row.result === result).length
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, version, result, seconds, note }) => [name, version, result, `${seconds} s`, note])
  const all = [['generator', 'version', 'result', 'time', 'note'], ...cells]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
