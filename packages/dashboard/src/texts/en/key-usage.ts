// Texts of the usage of one key: its syncs, its request log, and the emails about it.

import { type Html, html } from '../../ui/html.ts'
import type { Duration, Format } from '../format.ts'

export const keyUsage = (format: Format) => {
  const { duration } = format
  return {
    neverUsed: 'Never used',
    lastUsed: (time: Html) => html`Last used ${time}`,
    turnedOff: (time: Html) => html`Turned off on ${time}`,
    rename: 'Rename',
    changePermissions: 'Change permissions',
    emails: {
      title: 'Emails',
      on: 'You get an email if this tool gets only errors, stops within a list, misses its usual times, or exceeds the rate limit. You also get one before the key ends.',
      off: 'You get no emails about this key, unless it is found in public.',
      turnOff: 'Stop emails about this key',
      turnOn: 'Send me emails',
    },
    syncs: {
      title: 'Syncs',
      note: 'Each line is a list that the tool read page by page. “Stopped” means that the tool did not reach the end.',
      columns: {
        list: 'List',
        status: 'Status',
        started: 'Started',
        lastPage: 'Last page',
        pages: 'Pages',
        rows: 'Rows',
      },
      status: { finished: 'Finished', 'in progress': 'In progress', stopped: 'Stopped' },
      empty: {
        heading: 'No syncs yet',
        active: 'When the tool reads a list page by page, its progress appears here.',
        revoked: 'This key has not read a list recently.',
      },
    },
    log: {
      title: 'Request log',
      note: (retained: Duration) =>
        `Each line combines the requests of one minute with the same endpoint and result. Lines are deleted after ${duration(retained)}. The log contains no customer data.`,
      until: 'Until',
      untilProblem: 'Enter a date and a time, such as 21 November 2026, 03:00.',
      endpoint: 'Endpoint',
      allEndpoints: 'All endpoints',
      show: 'Result',
      allRequests: 'All requests',
      errorsOnly: 'Errors only',
      apply: 'Apply',
      caption: 'Request log, newest first',
      columns: {
        lastRequest: 'Last request',
        endpoint: 'Endpoint',
        status: 'Status',
        requests: 'Requests',
        rows: 'Rows',
        slowest: 'Slowest',
      },
      lastRequestId: (id: string) => html`Last request ID: <code>${id}</code>`,
      pages: 'Pages of the log',
      newest: 'Newest requests',
      older: 'Older requests',
      noErrors: 'No errors',
      noRequests: 'No requests',
      noMatches: 'The log has no matching requests.',
      showNewest: 'Show the newest requests',
      noRequestsIn: (retained: Duration) => `No requests in ${duration(retained)}`,
      revoked: (time: Html) => html`This key was revoked ${time}. The API rejects requests with it.`,
      unused: 'Put the key into a tool and run it. Its requests appear here.',
      seeRecipes: 'See recipes',
    },
  }
}

export type KeyUsageTexts = ReturnType<typeof keyUsage>
