import { expect, test } from 'vitest'
import { missedRuns, usualInterval } from './usual-interval.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DAYS = 30
/** Approximate number of checks of each tool. */
const CHECKS = 500
/** A Monday. The clocks of Berlin and New York change in the next 30 days. */
const CLOCKS_CHANGE = Date.parse('2026-10-19T00:00:00Z')
/** A Monday. No clock changes in the next 30 days. */
const CLOCKS_STAY = Date.parse('2026-05-04T00:00:00Z')

/** A simulated tool: when it starts, how much later than planned, and for how many minutes it runs. */
interface Tool {
  readonly name: string
  readonly zone: string
  readonly every: number
  readonly delayMax: number
  readonly runMinutes: number
  /** Whether it runs at this local time. */
  readonly isPlanned: (local: Date) => boolean
}

const always = () => true
const isWeekday = (local: Date) => local.getUTCDay() % 6 !== 0
const isAtHour = (hour: number) => (local: Date) => local.getUTCHours() === hour
const inOffice = (local: Date) => isWeekday(local) && local.getUTCHours() >= 9 && local.getUTCHours() < 18
const tool = (name: string, every: number, more: Partial<Tool> = {}): Tool => ({
  ...{ name, zone: 'UTC', every, delayMax: 20_000, runMinutes: 1, isPlanned: always },
  ...more,
})

const TOOLS: readonly Tool[] = [
  tool('every 5 minutes', 5 * MINUTE_MS),
  tool('every 10 minutes', 10 * MINUTE_MS, { delayMax: MINUTE_MS }),
  tool('every 15 minutes', 15 * MINUTE_MS, { delayMax: 2 * MINUTE_MS }),
  tool('every 15 minutes in Tokyo', 15 * MINUTE_MS, { zone: 'Asia/Tokyo', runMinutes: 2 }),
  tool('every 20 minutes', 20 * MINUTE_MS, { delayMax: 3 * MINUTE_MS }),
  tool('for 10 minutes every half hour', 30 * MINUTE_MS, { runMinutes: 10 }),
  tool('every hour', HOUR_MS),
  tool('every hour with delays up to 10 minutes', HOUR_MS, { delayMax: 10 * MINUTE_MS }),
  tool('for 40 minutes every hour', HOUR_MS, { runMinutes: 40 }),
  tool('every 2 hours', 2 * HOUR_MS, { delayMax: 15 * MINUTE_MS }),
  tool('every 6 hours', 6 * HOUR_MS, { zone: 'America/New_York', runMinutes: 20 }),
  tool('every 12 hours', 12 * HOUR_MS, { delayMax: HOUR_MS }),
  tool('every night in Berlin', HOUR_MS, { zone: 'Europe/Berlin', isPlanned: isAtHour(3), runMinutes: 25 }),
  tool('every night in New York', HOUR_MS, { zone: 'America/New_York', isPlanned: isAtHour(23) }),
  tool('every night with delays up to an hour', HOUR_MS, { isPlanned: isAtHour(2), delayMax: HOUR_MS }),
  tool('every night before a weekday', HOUR_MS, { isPlanned: (local) => isWeekday(local) && isAtHour(4)(local) }),
  tool('every 15 minutes during office hours', 15 * MINUTE_MS, {
    zone: 'Europe/Berlin',
    isPlanned: inOffice,
    delayMax: 60_000,
  }),
  tool('every 30 minutes during office hours', 30 * MINUTE_MS, { zone: 'America/New_York', isPlanned: inOffice }),
  tool('every hour during office hours', HOUR_MS, { zone: 'Asia/Tokyo', isPlanned: inOffice, delayMax: 5 * MINUTE_MS }),
  tool('every 15 minutes on weekdays', 15 * MINUTE_MS, { zone: 'Europe/Berlin', isPlanned: isWeekday }),
]

/** Returns the planned starts of a tool within the 30 days. */
function plannedStarts({ zone, every, isPlanned }: Tool, begin: number): number[] {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const localTime = (time: number) => new Date(`${local.format(time).replace(' ', 'T')}Z`)
  const times = Array.from({ length: (DAYS * DAY_MS) / every }, (_, index) => begin + index * every)
  return times.filter((time) => isPlanned(localTime(time)))
}

/** Returns the minutes with requests of runs that start up to `delayMax` late. */
function minutesOf({ delayMax, runMinutes }: Tool, starts: readonly number[], random: () => number): number[] {
  const minutes = starts.flatMap((start) => {
    const first = Math.floor((start + random() * delayMax) / MINUTE_MS) * MINUTE_MS
    return Array.from({ length: runMinutes }, (_, index) => first + index * MINUTE_MS)
  })
  return [...new Set(minutes)].toSorted((one, other) => one - other)
}

/** Returns whether the tool is reported as silent at `now`, from the minutes before it. */
function isSilent({ zone }: Tool, all: readonly number[], now: number): boolean {
  const minutes = all.filter((minute) => minute <= now)
  const interval = usualInterval({ minutes })
  return interval !== null && missedRuns({ minutes, timeZone: zone, now: new Date(now) }, interval)
}

/** Returns a generator of numbers from 0 to 1 that is the same for each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test.each(TOOLS)('if a tool that runs $name misses no run in 30 days, the tool is never reported as silent', (each) => {
  const random = randomOf(TOOLS.indexOf(each))
  const minutes = minutesOf(each, plannedStarts(each, CLOCKS_CHANGE), random)
  const nexts = minutes.slice(1).filter((minute, index) => minute - (minutes[index] ?? 0) > MINUTE_MS)
  const sampled = nexts.filter(() => random() < CHECKS / nexts.length)
  // Checks the moment before each request, when the tool has been silent for longest.
  const alarms = sampled.filter((next) => isSilent(each, minutes, next - 1))
  expect(alarms.map((next) => new Date(next).toISOString())).toEqual([])
})

test('if a tool is used at random times for 30 days, the tool is never reported as silent', () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = randomOf(seed)
    const minutes = [CLOCKS_STAY]
    while ((minutes.at(-1) ?? 0) < CLOCKS_STAY + DAYS * DAY_MS)
      minutes.push((minutes.at(-1) ?? 0) - Math.log(1 - random()) * 8 * HOUR_MS)
    for (const next of minutes.slice(1)) expect(isSilent(tool('now and then', DAY_MS), minutes, next - 1)).toBe(false)
  }
})

test.each(TOOLS)(
  'if a tool that runs $name stops, it is reported as silent one minute after the latest possible start of its second missed run',
  (each) => {
    const random = randomOf(TOOLS.indexOf(each))
    const starts = plannedStarts(each, CLOCKS_STAY)
    for (let stop = 0; stop < 20; stop++) {
      const from = starts.findIndex((start) => start >= CLOCKS_STAY + 10 * DAY_MS)
      const last = from + Math.floor(random() * (starts.length - 2 - from))
      const minutes = minutesOf(each, starts.slice(0, last + 1), random)
      const second = starts[last + 2] ?? Number.NaN
      const at = new Date(second).toISOString()
      expect({ at, isSilent: isSilent(each, minutes, second + each.delayMax + MINUTE_MS) }).toEqual({
        at,
        isSilent: true,
      })
    }
  },
)
