// The generated files as text by path from the project's root. Pure; `generate.ts` writes and compares them.

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
import { DECISIONS_FOLDER, type DecisionRecord, decisionIndex } from './decision-records.ts'

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
    ['packages/client/src/generated/types.ts', typescriptTypes()],
    ['packages/client/src/generated/endpoints.ts', clientEndpoints()],
  ])
}

/** JSON has no comments, so the document itself says, in its first member, that it is generated. */
function openApiFile(): string {
  const generated = 'Generated from the contract. Do not edit: change the contract and run npm run generate.'
  return `${JSON.stringify({ 'x-generated': generated, ...openapi() }, null, 2)}\n`
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
