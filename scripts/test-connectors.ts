// Tests the connectors with the real tools. Each tool reads a demo store repeatedly while writers change and delete
// rows. The test then compares every value with the store. A tool that cannot be installed is skipped, which is no
// failure.
//
// Run: npm run test:connectors

import { parseArgs } from 'node:util'
import { testAirbyte } from '../connectors/test/airbyte.ts'
import type { ConnectorResult } from '../connectors/test/connector-result.ts'
import { testDlt } from '../connectors/test/dlt.ts'
import { testGoogleSheets } from '../connectors/test/google-sheets.ts'
import { testN8n } from '../connectors/test/n8n.ts'
import { NotInstalledError } from '../connectors/test/python-tool.ts'
import { testSinger } from '../connectors/test/singer.ts'

const TESTS: Readonly<Record<string, () => Promise<ConnectorResult[]>>> = {
  dlt: testDlt,
  airbyte: testAirbyte,
  singer: testSinger,
  n8n: testN8n,
  'google-sheets': testGoogleSheets,
}

const HELP = `Usage: npm run test:connectors [-- CONNECTOR...]

Run the real tools against a demo store under load, and compare what they loaded with the store.

  CONNECTOR  one of ${Object.keys(TESTS).join(', ')}; default: all
  --help     print this help

The tools come from PyPI and npm, and are stored in node_modules/.cache/connectors. You need Python 3.10 or newer, except for
google-sheets.

Exit codes: 0 no difference, 1 a difference or an error, 2 wrong arguments.
`

const EXIT_FAILED = 1
const EXIT_USAGE = 2

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(EXIT_FAILED))
process.exitCode = await main()

async function main(): Promise<number> {
  const names = readArguments()
  if (typeof names === 'number') return names
  const results: ConnectorResult[] = []
  const left: string[] = []
  for (const name of names) {
    console.error(`testing ${name}`)
    try {
      results.push(...((await TESTS[name]?.()) ?? []))
    } catch (error) {
      if (!(error instanceof NotInstalledError)) throw error
      left.push(`${name} was not tested, because its tool could not be installed: ${error.message}`)
    }
  }
  console.log(['', '| Connector | Versions | Transactions | Rows | Missing | Stale | Deleted rows left |'].join('\n'))
  console.log('| --- | --- | ---: | ---: | ---: | ---: | ---: |')
  for (const { tool, version, transactions, differences } of results) {
    const { rows, missing, stale, extra } = differences
    console.log(`| ${[tool, version, transactions, rows, missing, stale, extra].join(' | ')} |`)
  }
  for (const example of results.flatMap(({ differences }) => differences.examples)) console.log(`- ${example}`)
  for (const each of left) console.log(`- ${each}`)
  const failed = results.filter(({ differences: { missing, stale, extra } }) => missing + stale + extra > 0).length
  console.log(
    `\n${results.length - failed} passed, ${failed} failed${left.length === 0 ? '' : `, ${left.length} skipped`}`,
  )
  return failed === 0 ? 0 : EXIT_FAILED
}

/** Returns the connectors to test, or the exit code if there is nothing to test. */
function readArguments(): readonly string[] | number {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } })
    if (values.help === true) {
      console.log(HELP)
      return 0
    }
    for (const each of positionals)
      if (!(each in TESTS)) throw new Error(`CONNECTOR: must be one of ${Object.keys(TESTS).join(', ')}; got "${each}"`)
    return positionals.length === 0 ? Object.keys(TESTS) : positionals
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return EXIT_USAGE
  }
}
