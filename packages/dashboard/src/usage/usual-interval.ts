// Learns how often a tool runs from the minutes in which it sent requests, and finds out whether it missed its usual
// times. A tool can pause at night or on weekends. So it missed runs only if it ran at the same time of earlier weeks.
// In its first week, the day before counts instead.

/** The activity of a tool, and the time at which to judge it. */
export interface ActivityOptions {
  /** Starts of the minutes with requests, in milliseconds since 1970, oldest first. */
  readonly minutes: readonly number[]
  /** IANA name of the store's time zone. */
  readonly timeZone: string
  readonly now: Date
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** Requests with shorter pauses belong to the same run of a tool. */
const RUN_PAUSE_MS = 3 * MINUTE_MS
/** The shortest usual interval. A tool that runs more often counts as if it ran this often. */
const INTERVAL_MS_MIN = 5 * MINUTE_MS
/** A tool is late only this many intervals after its last run began, which allows for delays of its scheduler. */
export const LATE_INTERVALS = 1.75
/** The part of an interval by which a run can be late, and the pause after which a run is over. */
const GRACE_INTERVALS = 0.5
/** Number of earlier weeks to compare with. The activity of a month contains no more. */
const WEEKS_COMPARED = 4
/** If the last week has this many intervals, only they count, so that a new schedule is known within a week. */
const RECENT_INTERVALS_MIN = 5

/**
 * Returns the usual time between the starts of two runs, in ms, at least five minutes. Returns null if there are fewer
 * than three intervals, or if fewer than 80 % of them are near the median.
 */
export function usualInterval({ minutes }: Pick<ActivityOptions, 'minutes'>): number | null {
  const starts = runStarts(minutes)
  const last = starts.at(-1) ?? 0
  const intervals = starts.slice(1).map((start, index) => ({ start, length: start - (starts[index] ?? start) }))
  const recent = intervals.filter(({ start }) => start > last - WEEK_MS)
  const lengths = (recent.length >= RECENT_INTERVALS_MIN ? recent : intervals).map(({ length }) => length)
  const middle = median(lengths)
  const tolerance = lengths.length < FEW_INTERVALS ? TOLERANCE.few : TOLERANCE.many
  const near = lengths.filter((length) => Math.abs(length - middle) <= middle * tolerance)
  const isRegular = lengths.length >= INTERVALS_MIN && near.length / lengths.length >= REGULAR_SHARE_MIN
  return isRegular ? Math.max(middle, INTERVAL_MS_MIN) : null
}

/** Minimum number of intervals that show a schedule. Three intervals of a week fit into the minutes of a month. */
const INTERVALS_MIN = 3
/** Minimum share of intervals near the median. The others can be longer, such as nights and weekends. */
const REGULAR_SHARE_MIN = 0.8
/** Fewer intervals than this must be almost equal, because a few pauses of a person can be alike by chance. */
const FEW_INTERVALS = 20
/** Largest distance from the median of an interval that is near it, as a share of the median. */
const TOLERANCE = { few: 0.1, many: 0.5 } as const

/**
 * Whether a tool with this usual interval missed runs since its last one. It missed runs if in at least half of up to
 * four earlier weeks it ran in the same part of the week. In its first week, the day before decides. After a run on
 * Friday or Saturday of its first week, the result is false, because the tool may pause at the weekend.
 */
export function missedRuns({ minutes, timeZone, now }: ActivityOptions, interval: number): boolean {
  const first = minutes[0]
  const start = runStarts(minutes).at(-1)
  const end = minutes.at(-1)
  if (first === undefined || start === undefined || end === undefined) return false
  const time = now.getTime()
  const grace = interval * GRACE_INTERVALS
  if (time < Math.max(start + interval * LATE_INTERVALS, end + grace)) return false
  const weeks = Array.from({ length: WEEKS_COMPARED }, (_, index) => (index + 1) * WEEK_MS)
  const compared = weeks.filter((shift) => first <= start - shift)
  if (compared.length > 0) {
    // After a change of the clocks, tools that follow local time run at another time than tools that follow UTC.
    const ran = compared.filter((shift) => {
      const local = (at: number) => at - shift - zoneOffset(timeZone, at - shift) + zoneOffset(timeZone, at)
      const inUtc = hasMinute(minutes, start + grace - shift, time - grace - shift)
      return inUtc && hasMinute(minutes, local(start) + grace, local(time) - grace)
    })
    return ran.length * 2 >= compared.length
  }
  const weekday = new Date(start + zoneOffset(timeZone, start)).getUTCDay()
  const isBeforeWeekend = weekday === FRIDAY || weekday === SATURDAY
  const until = Math.min(time, start + DAY_MS) - DAY_MS
  return !isBeforeWeekend && first <= start - DAY_MS && hasMinute(minutes, start - DAY_MS + grace, until - grace)
}

const FRIDAY = 5
const SATURDAY = 6

function runStarts(minutes: readonly number[]): number[] {
  return minutes.filter((minute, index) => minute - (minutes[index - 1] ?? 0) > RUN_PAUSE_MS)
}

/** Whether one of the sorted minutes is after `begin` and not after `end`. */
function hasMinute(minutes: readonly number[], begin: number, end: number): boolean {
  let [low, high] = [0, minutes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((minutes[middle] ?? 0) > begin) high = middle
    else low = middle + 1
  }
  return (minutes[low] ?? Number.POSITIVE_INFINITY) <= end
}

function median(lengths: readonly number[]): number {
  return lengths.toSorted((one, other) => one - other)[Math.floor(lengths.length / 2)] ?? Number.NaN
}

/** Returns the difference between local time and UTC in milliseconds, at the start of the UTC hour of `time`. */
function zoneOffset(timeZone: string, time: number): number {
  const hour = Math.floor(time / HOUR_MS) * HOUR_MS
  const key = `${timeZone} ${hour}`
  const known = OFFSETS.get(key)
  if (known !== undefined) return known
  const offset = Date.parse(`${new Date(hour).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`) - hour
  if (OFFSETS.size >= OFFSETS_MAX) OFFSETS.clear()
  OFFSETS.set(key, offset)
  return offset
}

const OFFSETS = new Map<string, number>()
const OFFSETS_MAX = 10_000
