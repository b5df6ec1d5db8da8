// Texts of the form that creates a key, with its limits, and the limits as facts about a key.

import { type Html, html } from '../../ui/html.ts'
import type { Format } from '../format.ts'

export const createKey = ({ list }: Format) => ({
  title: 'Create a key',
  tool: 'Tool',
  otherTool: 'Another tool',
  /** Names of tools that differ from the English ones, by the ID of the tool. */
  toolNames: {} as Readonly<Record<string, string>>,
  /** What a tool is, by the ID of the tool. */
  toolNotes: {
    'google-sheets': 'Spreadsheet',
    excel: 'Spreadsheet',
    'power-bi': 'Reports',
    n8n: 'Workflows',
    'store-sync': 'Copy in a database or in files',
    curl: 'Needs curl and jq',
    python: 'Program without packages',
    typescript: 'Program for Node',
  } as Readonly<Record<string, string>>,
  otherToolNote: 'You enter the key yourself',
  name: 'Name of the key',
  nameHint:
    'For example “Accounting” or “Stock sheet”. At most 80 characters. If you choose a tool and enter no name, the key gets the name of the tool.',
  create: 'Create key',
  limitIt: 'Limit what the key can do',
  access: {
    legend: 'The tool can read',
    everything: 'Everything',
    sales: 'Orders and products, for example for accounting',
    chosen: 'Only what you choose:',
  },
  withoutPersonalData: 'Leave out personal data',
  withoutPersonalDataHint:
    'The tool gets no names and no phone numbers. Of an address, it gets only the country and the state. Each email address becomes a pseudonym.',
  end: {
    label: 'The key ends',
    same: 'At the same time as now',
    never: 'When you revoke it',
    after30: 'After 30 days',
    after90: 'After 90 days',
    onDay: 'At the end of a day',
    day: 'Day',
    dayHint: 'Only for “At the end of a day”.',
  },
  addresses: 'Network addresses of the tool',
  addressesHint:
    'Leave empty to accept the key from everywhere. Separate several with commas: 203.0.113.7, 10.0.0.0/8.',
  facts: {
    onlyScopes: (scopes: readonly string[]) => `Only ${list(scopes.map((scope) => scope.toLowerCase()))}`,
    withoutPersonalData: 'Without personal data',
    ends: (time: Html) => html`Ends ${time}`,
    onlyFrom: (addresses: string) => `Only from ${addresses}`,
  },
  problems: {
    noName: 'Enter a name for the key.',
    noNameOrTool: 'Enter a name, or choose a tool. The key then gets the name of the tool.',
    name: 'Use at most 80 characters, at least one visible character, and no control characters.',
    nothingChosen: 'Choose at least one thing that the tool can read.',
    noDay: 'Choose the day on which the key ends.',
    dayPassed: 'Choose a day in the future.',
    tooManyAddresses: (addressesMax: number) => `Enter at most ${addressesMax} addresses and networks.`,
    address: (wrong: string) =>
      `“${wrong}” is not a network address. Enter addresses such as 203.0.113.7 or networks such as 10.0.0.0/8.`,
    limitsLost: 'Choose the limits of the key again, because your session ended.',
  },
})

export type CreateKeyTexts = ReturnType<typeof createKey>
