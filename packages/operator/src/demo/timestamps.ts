// Instants of the demo: whole microseconds since 1970, which a number holds exactly, on a calendar that ends on a fixed day.

/** Microseconds of a day. */
export const DAY = 86_400_000_000
/** Microseconds of an hour. */
export const HOUR = DAY / 24

/** The day on which the demo's history ends; nothing in it is later, whenever the demo is made. */
export const HISTORY_END = Date.UTC(2026, 10, 1) * 1000
/** Two years before the end. */
export const HISTORY_START = Date.UTC(2024, 10, 1) * 1000

/** ISO 8601 in UTC with all six digits of the fraction. */
export function timestampText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${rest}Z`
}

/** `microseconds`, but never after the end of the history. */
export function untilEnd(microseconds: number): number {
  return Math.min(Math.round(microseconds), HISTORY_END)
}
