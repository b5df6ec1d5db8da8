import type { Duration, Format } from '../format.ts'

/**
 * Returns a duration in the dative, such as "3 Tagen", for a text after "in" or "seit". `Intl` formats only the
 * nominative.
 */
export function dative({ value, unit }: Duration, { plural }: Format): string {
  const texts = {
    minute: { one: '# Minute', other: '# Minuten' },
    hour: { one: '# Stunde', other: '# Stunden' },
    day: { one: '# Tag', other: '# Tagen' },
    week: { one: '# Woche', other: '# Wochen' },
  } as const
  return plural(value, texts[unit])
}
