// Runs `npm run test:generators`. For each generator, it generates a client from a live demo, compiles a small program with
// it, and runs the program against the demo. It prints a table.

import path from 'node:path'
import { parseArgs } from 'node:util'
import { removeDemoData } from './generators/demo-service.ts'
import type { GeneratorTest } from './generators/generator-test.ts'
import { GO_TESTS } from './generators/go.ts'
import { NPM_TESTS } from './generators/npm.ts'
import { OPENAPI_GENERATOR_TESTS } from './generators/openapi-generator.ts'
import { PYTHON_TESTS } from './generators/python.ts'
import { type Row, runClients } from './generators/run-clients.ts'
import { RUST_TESTS } from './generators/rust.ts'
import { runSchemathesis, SCHEMATHESIS } from './generators/schemathesis.ts'

const TESTS: readonly GeneratorTest[] = [
  ...NPM_TESTS,
  ...PYTHON_TESTS,
  ...OPENAPI_GENERATOR_TESTS,
  ...GO_TESTS,
  ...RUST_TESTS,
]
const NAMES = [...TESTS.map(({ name }) => name), SCHEMATHESIS.name]
const FOLDER = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'generators')

const HELP = `Usage: npm run test:generators [-- [--folder <path>] [NAME...]]

Generate a client with each generator, compile it, and let it read all orders of a running demo.

  NAME             run only these tests: ${NAMES.join(', ')}
  --folder <path>  install and build everything in this folder; default: node_modules/.cache/generators
  --help           print this help

The generators come from npm, PyPI, Maven Central, Go modules, and crates.io. The table names each test that needs a
program which this machine does not have.

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
  removeDemoData(args.folder)
  const rows = selected.length === 0 ? [] : await runClients(selected, args.folder)
  if (args.names.length === 0 || args.names.includes(SCHEMATHESIS.name)) rows.push(await runSchemathesis(args.folder))
  console.log(`\n${tableOf(rows)}\n`)
  const count = (result: Row['result']): number => rows.filter((row) => row.result === result).length
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('not run')} skipped`)
  return count('failed') === 0 ? 0 : EXIT_FAILED
}

function readArguments(): { names: readonly string[]; folder: string; isHelp: boolean } | null {
  try {
    const options = { folder: { type: 'string', default: FOLDER }, help: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const unknown = positionals.find((name) => !NAMES.includes(name))
    if (unknown !== undefined) throw new Error(`${unknown}: must be one of ${NAMES.join(', ')}`)
    return { names: positionals, folder: path.resolve(values.folder), isHelp: values.help }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`)
    return null
  }
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
