// The generated files and the generated sections of written pages, by path from the project's root. `generate.ts` writes
// and compares them.

import {
  CONTRACT,
  clientEndpoints,
  errorPage,
  errorTable,
  type LiveExample,
  openapi,
  referencePage,
  typescriptTypes,
} from '@store-export/contract'
import { SETTINGS } from '../packages/operator/src/settings.ts'
import { commandsPage } from './cli-reference.ts'
import { DECISIONS_FOLDER, type DecisionRecord, decisionIndex } from './decision-records.ts'
import { eventsTable, metricsTable } from './monitoring-reference.ts'
import { STORE_EXPORT, STORE_SYNC } from './programs.ts'

export type { LiveExample }

const HEAD = '<!-- Generated from the contract. Do not edit: change the contract and run `npm run generate`. -->\n\n'

const DECISIONS_HEAD = '<!-- Generated from the records in this folder. Do not edit: run `npm run generate`. -->\n\n'

/** Every generated file. The reference shows `examples`, by endpoint ID. */
export function generatedFiles(
  examples: Readonly<Record<string, LiveExample>>,
  decisions: readonly DecisionRecord[],
): ReadonlyMap<string, string> {
  const pages = Object.entries(CONTRACT.errors).map(
    ([code, error]) => [`docs/api/errors/${code}.md`, HEAD + errorPage(code, error)] as const,
  )
  const index = `# Errors\n\n${errorTable().replaceAll('(../errors/', '(')}\n`
  return new Map([
    ['docs/api/reference/index.md', HEAD + referencePage(CONTRACT, examples)],
    ['docs/api/errors/index.md', HEAD + index],
    ...pages,
    ['docs/api/openapi.json', openApiFile()],
    ['docs/operate/settings.md', settingsPage()],
    [`${DECISIONS_FOLDER}/index.md`, DECISIONS_HEAD + decisionIndex(decisions)],
    ['docs/operate/cli.md', storeExportPage()],
    ['docs/sync/cli.md', storeSyncPage()],
    ['packages/client/src/generated/types.ts', typescriptTypes()],
    ['packages/client/src/generated/endpoints.ts', clientEndpoints()],
  ])
}

/** JSON has no comments, so the document itself says, in its first member, that it is generated. */
function openApiFile(): string {
  const generated = 'Generated from the contract. Do not edit: change the contract and run npm run generate.'
  return `${JSON.stringify({ 'x-generated': generated, ...openapi() }, null, 2)}\n`
}

function storeExportPage(): string {
  const intro = 'This page lists the commands of `store-export`, for operators.'
  return `${CLI_HEAD}${commandsPage(STORE_EXPORT.program, { intro, help: STORE_EXPORT.help })}\n`
}

function storeSyncPage(): string {
  const intro = 'This page lists the commands of `store-sync`, for people who copy the data of a store.'
  return `${CLI_HEAD}${commandsPage(STORE_SYNC.program, { intro, help: STORE_SYNC.help })}\n`
}

const CLI_HEAD =
  '<!-- Generated from the options of the program. Do not edit: change them and run `npm run generate`. -->\n\n'

/** Sections of pages that people write, by path and by name. */
export const GENERATED_SECTIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'docs/operate/monitoring.md',
    new Map([
      ['metrics', metricsTable()],
      ['events', eventsTable()],
    ]),
  ],
])

/**
 * The page with these sections between the comments `<!-- Generated: NAME. … -->` and `<!-- End: NAME -->`. Throws if the
 * page lacks them.
 */
export function withSections(page: string, sections: ReadonlyMap<string, string>): string {
  let text = page
  for (const [name, section] of sections) {
    const place = new RegExp(`(?<=<!-- Generated: ${name}\\.[^>]*-->\\n)[\\s\\S]*?(?=<!-- End: ${name} -->)`)
    if (!place.test(text)) throw new Error(`no comments "Generated: ${name}." and "End: ${name}"`)
    text = text.replace(place, () => `\n${section}\n\n`)
  }
  return text
}

const SETTINGS_HEAD =
  '<!-- Generated from packages/operator/src/settings.ts. Do not edit: change it and run `npm run generate`. -->\n\n'

function settingsPage(): string {
  const rows = Object.values(SETTINGS).map((setting) => {
    const unit = 'unit' in setting ? ` ${setting.unit}` : ''
    const value = setting.kind === 'flag' ? (setting.default ? 'on' : 'off') : setting.default
    const accepted = 'min' in setting ? ` (${setting.min} to ${setting.max})` : ''
    return `| \`${setting.env}\` | ${value === null ? '' : `\`${value}\`${unit}`} | ${setting.help.replaceAll('|', '\\|')}${accepted} |`
  })
  const intro = 'Settings come from the environment. A value that is not accepted stops the start with a sentence.'
  return `${SETTINGS_HEAD}# Settings\n\n${intro}\n\n| Setting | Default | What it does |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}
