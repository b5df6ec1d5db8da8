// Returns the generated files, and the generated sections of pages that people write, by path from the project's root.
// `generate.ts` writes and compares them.

import { adminOpenApi, problemSections } from '@store-export/admin'
import {
  CONTRACT,
  clientEndpoints,
  errorPage,
  errorTable,
  type LiveExample,
  openapi,
  openapi30,
  postmanCollection,
  referencePage,
  swagger20,
  typescriptTypes,
} from '@store-export/contract'
import { ADMIN_SETTINGS } from '../packages/operator/src/settings/admin-settings.ts'
import { DASHBOARD_SETTINGS } from '../packages/operator/src/settings/dashboard-settings.ts'
import { DATABASE_SETTINGS } from '../packages/operator/src/settings/database-settings.ts'
import { KEY_SETTINGS } from '../packages/operator/src/settings/key-settings.ts'
import { REQUEST_SETTINGS } from '../packages/operator/src/settings/request-settings.ts'
import type { Setting } from '../packages/operator/src/settings/setting.ts'
import { USAGE_SETTINGS } from '../packages/operator/src/settings/usage-settings.ts'
import { SETTINGS } from '../packages/operator/src/settings.ts'
import { adminClientSource } from './admin-client-source.ts'
import { commandsPage, sentence } from './cli-reference.ts'
import { airbyteCatalog, airbyteManifest } from './connectors/airbyte-manifest.ts'
import { dltContract } from './connectors/dlt-contract.ts'
import { n8nResources } from './connectors/n8n-resources.ts'
import { powerQueryTables } from './connectors/power-query-tables.ts'
import { sheetTables } from './connectors/sheet-tables.ts'
import { DECISIONS_FOLDER, type DecisionRecord, decisionIndex } from './decision-records.ts'
import { alertRules, alertsTable } from './monitoring/alert-rules.ts'
import { grafanaDashboard } from './monitoring/grafana-dashboard.ts'
import { eventsTable, metricsTable } from './monitoring/metrics-reference.ts'
import { STORE_EXPORT, STORE_SYNC } from './programs.ts'

export type { LiveExample }

const HEAD = '<!-- Generated from the contract. Do not edit: change the contract and run `npm run generate`. -->\n\n'

const DECISIONS_HEAD = '<!-- Generated from the records in this folder. Do not edit: run `npm run generate`. -->\n\n'

const ERROR_BODY = `This page is for integrators. It lists the statuses and error codes of the API, and which requests
to repeat. The page of each code says how to fix the error. For the wait before a retry, see [Rate
limits and retries](../rate-limits-and-retries.md#when-to-retry).

All errors have the same body. The \`code\` is stable, so use it in your program. The \`message\` is
for people, and can change. To report a problem, send the operator the header \`x-request-id\` of the
response.

\`\`\`json
{"error":{"code":"INVALID_PARAM","message":"limit: must be a whole number from 1 to 250; got \\"ten\\""}}
\`\`\``

/** Returns every generated file by path. The reference shows `examples`, by endpoint ID. */
export function generatedFiles(
  examples: Readonly<Record<string, LiveExample>>,
  decisions: readonly DecisionRecord[],
): ReadonlyMap<string, string> {
  const pages = Object.entries(CONTRACT.errors).map(
    ([code, error]) => [`docs/api/errors/${code}.md`, HEAD + errorPage(code, error)] as const,
  )
  const index = `# Errors\n\n${ERROR_BODY}\n\n${errorTable().replaceAll('(../errors/', '(')}\n`
  return new Map([
    ['docs/api/reference/index.md', HEAD + referencePage(CONTRACT, examples)],
    ['docs/api/errors/index.md', HEAD + index],
    ...pages,
    ['docs/api/openapi.json', openApiFile(openapi)],
    ['docs/operate/admin-openapi.json', openApiFile(adminOpenApi, 'the routes of the admin API')],
    ['docs/api/openapi-3.0.json', openApiFile(openapi30)],
    ['docs/api/swagger-2.0.json', openApiFile(swagger20)],
    ['docs/api/postman-collection.json', `${JSON.stringify(postmanCollection(examples), null, 2)}\n`],
    ['deploy/prometheus/alerts.yaml', alertRules()],
    ['deploy/grafana/store-export.json', grafanaDashboard()],
    ['docs/operate/settings.md', settingsPage()],
    [`${DECISIONS_FOLDER}/index.md`, DECISIONS_HEAD + decisionIndex(decisions)],
    ['docs/operate/cli.md', storeExportPage()],
    ['docs/sync/cli.md', storeSyncPage()],
    ['packages/admin-client/src/generated/admin-methods.ts', adminClientSource()],
    ['packages/client/src/generated/types.ts', typescriptTypes()],
    ['packages/client/src/generated/endpoints.ts', clientEndpoints()],
    ['connectors/airbyte/catalog.json', airbyteCatalog()],
    ['connectors/airbyte/manifest.yaml', airbyteManifest()],
    ['connectors/dlt/store_export_dlt/contract.py', dltContract()],
    ['connectors/n8n/generated/resources.ts', n8nResources()],
  ])
}

/** Returns the text of an API document. JSON has no comments, so the first member says that the file is generated. */
function openApiFile(document: () => object, source = 'the contract'): string {
  const generated = `Generated from ${source}. Do not edit: change ${source} and run npm run generate.`
  return `${JSON.stringify({ 'x-generated': generated, ...document() }, null, 2)}\n`
}

function storeExportPage(): string {
  const intro =
    'This reference lists the commands of `store-export`, for operators. To run the service, start with [Install the service](install.md).\n\nAll commands except `demo`, `demo change`, and `stores grants` act on the control database of `STORE_EXPORT_DATABASE_URL`. If this [setting](settings.md) is missing, `serve` fails, and the other commands act on the demo that runs in the same folder.'
  return `${CLI_HEAD}${commandsPage(STORE_EXPORT.program, { intro, help: STORE_EXPORT.help })}\n`
}

function storeSyncPage(): string {
  const intro = [
    'This reference lists the commands of `store-sync` and their options, for people who copy the data of a store. To create a copy, start with [the sync tool](overview.md).',
    'In the folder of the checkout, start each command with `npx`, as in `npx store-sync run`. [Destinations](destinations.md) explains each value of `--to`, and [Troubleshooting](troubleshooting.md#exit-codes) says what to do after each exit code.',
  ].join(' ')
  return `${CLI_HEAD}${commandsPage(STORE_SYNC.program, { intro, ...STORE_SYNC })}\n`
}

const CLI_HEAD =
  '<!-- Generated from the options of the program. Do not edit: change them and run `npm run generate`. -->\n\n'

/** Generated sections of files that people write, by path and by name. */
export const GENERATED_SECTIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'docs/operate/metrics-and-events.md',
    new Map([
      ['metrics', metricsTable()],
      ['events', eventsTable()],
    ]),
  ],
  ['docs/operate/admin-api.md', new Map([['problems', problemSections()]])],
  ['docs/operate/runbooks/index.md', new Map([['runbooks', alertsTable()]])],
  ['connectors/google-sheets/Code.gs', new Map([['tables', sheetTables()]])],
  ['connectors/power-query/StoreExport.pq', new Map([['tables', powerQueryTables()]])],
])

/**
 * Returns the page with these sections between the comments `<!-- Generated: NAME. … -->` and `<!-- End: NAME -->`,
 * or `// Generated: NAME.` and `// End: NAME` in code. Throws if the page lacks the comments.
 */
export function withSections(page: string, sections: ReadonlyMap<string, string>): string {
  let text = page
  for (const [name, section] of sections) {
    const place = new RegExp(
      `(?<=<!-- Generated: ${name}\\.[^>]*-->\\n|^ *// Generated: ${name}\\.\\n)[\\s\\S]*?(?=(?:<!--|^ *//) End: ${name}\\b)`,
      'm',
    )
    if (!place.test(text)) throw new Error(`no comments "Generated: ${name}." and "End: ${name}"`)
    text = text.replace(place, () => `\n${section}\n\n`)
  }
  return text
}

const SETTINGS_HEAD =
  '<!-- Generated from packages/operator/src/settings.ts. Do not edit: change it and run `npm run generate`. -->\n\n'

/** Headings of the settings page, in its order. Settings without a group come first. */
const SETTING_GROUPS: readonly (readonly [string, Readonly<Record<string, Setting>>])[] = [
  ['Dashboard', DASHBOARD_SETTINGS],
  ['Admin API', ADMIN_SETTINGS],
  ['Keys', KEY_SETTINGS],
  ['Database connections', DATABASE_SETTINGS],
  ['Requests and responses', REQUEST_SETTINGS],
  ['Usage and request log', USAGE_SETTINGS],
]

function settingsPage(): string {
  const grouped = new Set(SETTING_GROUPS.flatMap(([, settings]) => Object.keys(settings)))
  const others = Object.entries(SETTINGS).filter(([name]) => !grouped.has(name))
  const groups = [['Service', Object.fromEntries(others)] as const, ...SETTING_GROUPS]
  const sections = groups.map(([heading, settings]) => `## ${heading}\n\n${settingsTable(Object.values(settings))}\n`)
  return `${SETTINGS_HEAD}# Settings

This reference lists the settings of \`store-export\`, for operators. [Install the
service](install.md) shows the settings that every node needs.

- Set each setting as an environment variable. After a change, restart the nodes.
- Give all nodes the same values. Only the hosts and ports on which a node listens, and
  \`STORE_EXPORT_KEY_CHECK_URL\`, can differ. Load the settings into each shell in which you run
  commands, too.
- If a value is not valid, the command exits with a message that names the setting.
- A variable that begins with \`STORE_EXPORT_\`, but is not a setting, causes a warning.
- [OpenTelemetry](opentelemetry.md) has variables of its own, which begin with \`OTEL_\`.

${sections.join('\n')}`
}

function settingsTable(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => {
    const meaning = sentence(setting.help).replace('`docs/operate/capacity.md`', '[Capacity](capacity.md)')
    const cells = [`\`${setting.env}\``, defaultOf(setting), acceptedBy(setting), meaning]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| Setting | Default | Accepts | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function defaultOf(setting: Setting): string {
  if (setting.kind === 'flag') return setting.default ? '`on`' : '`off`'
  if (setting.default === null) return ''
  const unit = 'unit' in setting && setting.unit !== 'port' ? ` ${setting.unit}` : ''
  return `\`${setting.default}\`${unit}`
}

function acceptedBy(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
      return `${setting.min} to ${setting.max}`
    case 'flag':
      return '`on`, `off`'
    case 'choice':
      return setting.accepted.map((word) => `\`${word}\``).join(', ')
    case 'string':
      // As code, because Markdown reads an underscore as emphasis.
      return setting.accepts?.rule.replaceAll(/[a-z]*_/g, '`$&`') ?? 'string'
    default:
      return 'string'
  }
}
