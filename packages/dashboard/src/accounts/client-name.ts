// Names the browser and the system of a session from its User-Agent header, so that merchants recognize their sessions.

/**
 * The first match counts. Chrome and Safari come after the other browsers, because Edge and Opera also have "Chrome"
 * and "Safari" in their User-Agent, and Chrome has "Safari". `Chrome` has no `\b`, so HeadlessChrome matches, too.
 */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bChromium\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

/**
 * The first match counts: Android's User-Agent also has "Linux", and that of iPhones also has "Mac OS X". An iPad that
 * requests desktop pages, the default since iPadOS 13, counts as macOS, because it sends the User-Agent of a Mac.
 */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone|\biPad/, 'iOS'],
  [/\bAndroid/, 'Android'],
  [/\bWindows/, 'Windows'],
  [/\bMac OS X|\bMacintosh/, 'macOS'],
  [/\bCrOS/, 'ChromeOS'],
  [/\bLinux/, 'Linux'],
]

/** The browser and the operating system of a session, such as "Firefox" and "Linux"; each is null if unknown. */
export interface ClientName {
  readonly browser: string | null
  readonly system: string | null
}

/** Returns the browser and the operating system that a User-Agent header names. */
export function clientName(userAgent: string): ClientName {
  const nameIn = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
  return { browser: nameIn(BROWSERS), system: nameIn(SYSTEMS) }
}
