// Settings of usage: the interval of writes, and the retention of sums and of the request log.

import type { Setting } from './setting.ts'

export const USAGE_SETTINGS = {
  usageFlushMs: {
    env: 'STORE_EXPORT_USAGE_FLUSH_MS',
    kind: 'integer',
    default: 2000,
    unit: 'ms',
    min: 50,
    max: 600_000,
    help: 'Interval at which a node writes usage statistics to the control database.',
  },
  usageHourDays: {
    env: 'STORE_EXPORT_USAGE_HOUR_DAYS',
    kind: 'integer',
    default: 35,
    unit: 'days',
    // The cleanup of older hours doesn't exclude the usage recorder, which writes recent hours (retention.ts).
    min: 32,
    max: 36_500,
    help: 'Retention of usage by hour. Older usage is stored by UTC day. Raise it if merchants need older hours. docs/operate/capacity.md says how much space that takes.',
  },
  usageMonths: {
    env: 'STORE_EXPORT_USAGE_MONTHS',
    kind: 'integer',
    default: 13,
    unit: 'months',
    min: 1,
    max: 1200,
    help: 'Retention of usage by UTC day.',
  },
  requestLogHours: {
    env: 'STORE_EXPORT_REQUEST_LOG_HOURS',
    kind: 'integer',
    default: 720,
    unit: 'hours',
    min: 1,
    max: 9600,
    help: "Retention of a key's request log and of the list of its syncs. Shorten it if the control database runs out of space. docs/operate/capacity.md says how much space the log takes.",
  },
  requestLogLines: {
    env: 'STORE_EXPORT_REQUEST_LOG_LINES',
    kind: 'integer',
    default: 10_000,
    unit: 'lines',
    min: 100,
    max: 1_000_000,
    help: "Maximum length of one key's request log. A line stands for the requests of one minute with the same endpoint and result, and takes about 450 bytes.",
  },
} as const satisfies Record<string, Setting>
