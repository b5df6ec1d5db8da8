// Texts of the Data pages.

import { type Html, html } from '../../ui/html.ts'
import type { Format } from '../format.ts'

export const data = ({ count }: Format) => ({
  title: 'Data',
  lead: 'The data that your tools get from the API.',
  csv: (file: string) => `${file} CSV`,
  lists: 'Lists',
  order: {
    newest: { now: 'Newest first', other: 'Show oldest first' },
    oldest: { now: 'Oldest first', other: 'Show newest first' },
  },
  findBy: (fields: string) => `Find by ${fields}`,
  find: 'Find',
  caseSensitive: 'The search for an email address or a SKU is case-sensitive.',
  apiRequest: 'API request',
  apiRequestOldestFirst: 'API request (returns the oldest rows first)',
  searchedSince: (time: Html) => html`Searched rows created since ${time}.`,
  searchedUntil: (time: Html) => html`Searched rows created until ${time}.`,
  noMatchesYet: 'No matches so far',
  keepSearching: 'Keep searching',
  noMatches: { heading: 'No matches', text: 'Check the spelling, or browse the list.' },
  showAll: 'Show all',
  firstPage: 'First page',
  loadMore: 'Load more',
  noRows: (list: string) => ({
    heading: `No ${list.toLowerCase()} yet`,
    text: `When your store has ${list.toLowerCase()}, they appear here.`,
  }),
  row: {
    summary: 'Summary',
    amounts: 'Amounts',
    firstOf: (shown: number, all: number) =>
      `The first ${count(shown)} of ${count(all)} rows. The JSON has all of them.`,
    json: 'JSON of the row',
    note: (apiPath: string) => html`The response to <code>GET ${apiPath}</code>.`,
    download: 'Download JSON',
    isLarge: (size: string) =>
      `This row is large (${size}), so the page shows only the beginning. Download the JSON to see all of it.`,
  },
  problems: {
    unreadable: 'We can’t read this store’s data right now. Try again in a minute.',
    unreadableHeading: 'We can’t show this data right now',
    backToList: 'Back to the list',
    imported: 'This store was imported and is hosted elsewhere, so its data can’t be exported from here.',
    generating: 'This store is still being created and has no data yet. Try again in a minute.',
    tooManyDownloads: 'Too many downloads are in progress. Wait until one of them ends, then try again.',
    newerList: (list: string, since: string) =>
      `${list} need schema version ${since} or later. This store has an older version, so the list is empty here and in the API.`,
    notSearchable: (row: string, fields: string) =>
      `Enter the ${fields} of the ${row.toLowerCase()}. An ID looks like this: 3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b.`,
    notFound: (row: string, fields: string) => `This store has no ${row.toLowerCase()} with this ${fields}.`,
  },
})

export type DataTexts = ReturnType<typeof data>
