// Writes times of n8n as the service accepts them.

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i
const TIME = /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/

/**
 * Returns the time with a zone. n8n's date picker makes times without a zone, which are in the time zone of the
 * workflow. Expressions such as `{{ $now }}` make objects of Luxon. Other text, such as `now`, is unchanged.
 */
export function timestampOf(value: unknown, timeZone: string): string {
  const text = isLuxon(value) ? value.toISO() : String(value).trim()
  const { date, time = '00:00:00' } = TIME.exec(text)?.groups ?? {}
  if (HAS_ZONE.test(text) && date === undefined) return text
  return date === undefined ? text : `${date}T${time}${offsetOf(`${date}T${time}`, timeZone)}`
}

function isLuxon(value: unknown): value is { toISO(): string } {
  return value !== null && typeof value === 'object' && 'toISO' in value
}

/**
 * Returns the offset of the time zone at a local time, such as `+02:00`. Within some hours of a change of the clocks,
 * it can be the other offset, because the function takes `time` as UTC.
 */
function offsetOf(time: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(new Date(`${time}Z`)).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return name.replace(/^GMT/, '') || 'Z'
}
