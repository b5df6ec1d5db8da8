// Texts of the usage in a range of time: the page, its chart, and its tables.

import { html } from '../../ui/html.ts'
import type { UsageRange } from '../../usage/usage-ranges.ts'
import type { Format } from '../format.ts'

export const usage = ({ count, plural }: Format) => ({
  title: 'Usage',
  leadOfKey: (name: string, range: UsageRange) =>
    html`Requests of <strong>${name}</strong> in the last ${RANGES[range]}.`,
  lead: (range: UsageRange) => `Requests of all keys in the last ${RANGES[range]}.`,
  unreadable: 'We can’t read these requests right now. Try again in a minute.',
  showAllKeys: 'Show all keys',
  createKey: 'Create a key',
  empty: {
    heading: 'No requests yet',
    text: 'Create a key and put it into a tool. Its requests are counted here.',
    viewer: 'When a tool uses a key, its requests are counted here.',
  },
  parts: { successful: 'Successful', clientErrors: 'Wrong requests', rejected: 'Over the limit', failed: 'Failed' },
  partNotes: {
    successful: 'Requests that returned data',
    clientErrors: 'Wrong parameters or unknown IDs',
    rejected: 'More than the rate limit allows',
    failed: 'Errors on our side, or the store was not ready',
  },
  counted: {
    successful: (requests: number) => `${count(requests)} successful`,
    clientErrors: (requests: number) => plural(requests, { one: '# wrong request', other: '# wrong requests' }),
    rejected: (requests: number) => `${count(requests)} over the limit`,
    failed: (requests: number) => `${count(requests)} failed`,
  },
  all: 'All',
  chart: {
    title: { hour: 'By hour', day: 'By day' },
    note: (timeZone: string) => `Times are in the time zone ${timeZone}.`,
    ranges: RANGES,
    rangesLabel: 'Range of the chart',
    keysHint: 'The arrow keys move between the bars.',
    showTable: 'Show as a table',
    marks: 'A mark below the axis is for requests that are too few to see in the bar.',
    empty: {
      heading: (range: UsageRange) => `No requests in the last ${RANGES[range]}`,
      text: 'When a tool sends a request, the request is counted here.',
    },
    caption: { hour: 'Requests by hour, newest first', day: 'Requests by day, newest first' },
    column: { hour: 'Hour', day: 'Day' },
    summary: {
      hour: (periods: number, sums: string, most: string) =>
        `Requests of ${plural(periods, { one: '# hour', other: '# hours' })}: ${sums}.${most} The table below has each hour.`,
      day: (periods: number, sums: string, most: string) =>
        `Requests of ${plural(periods, { one: '# day', other: '# days' })}: ${sums}.${most} The table below has each day.`,
    },
    most: (period: string, requests: number) => ` Most on ${period}: ${count(requests)}.`,
  },
  byKey: 'By key',
  byKeyNote: 'Choose a key to see its requests in the chart above.',
  key: 'Key',
  keyCaption: 'Requests by key, most first',
  details: 'Details',
  requestLog: 'Request log',
  requestLogOf: (name: string) => `of ${name}`,
})

export type UsageTexts = ReturnType<typeof usage>

const RANGES: Readonly<Record<UsageRange, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}
