// Shifts the clock by MOVED_CLOCK_MS in the process that preloads this module. Timers and `performance.now()` don't
// change.

const MOVED_MS = Number(process.env.MOVED_CLOCK_MS)
const RightDate = Date

globalThis.Date = class extends RightDate {
  static override now(): number {
    return RightDate.now() + MOVED_MS
  }

  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(RightDate.now() + MOVED_MS)
    else super(...(parts as ConstructorParameters<typeof RightDate>))
  }
} as DateConstructor
