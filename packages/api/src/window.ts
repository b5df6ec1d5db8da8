// Applies the same end times to every page of a list. `updated_until` and `created_until` can be in the future, but
// rows that change while a client reads must not appear on later pages. So the first page limits each end time to its
// watermark, the time that it returns for the next sync. The cursor carries the result (R37 in docs/spec/readings.md).

import type { Microseconds, ParameterName } from '@store-export/contract'
import type { Window, WindowEnd, WindowField } from '@store-export/engine'
import type { ParameterValues } from './query-parameters.ts'

/**
 * The end time for each field that has one: the first timestamp that the list excludes. An end time is at most the
 * watermark.
 */
export type WindowBounds = Readonly<Partial<Record<WindowField, Microseconds>>>

/** The parts of a cursor that later pages of a list with end times need. */
interface WindowOfCursor {
  readonly watermark: Microseconds
  readonly bounds: WindowBounds
}

/** The parameters for end times, and the fields that they limit. */
const ENDS = [
  { parameter: 'updated_until', field: 'updated_at' },
  { parameter: 'created_until', field: 'created_at' },
] as const satisfies readonly (Omit<WindowEnd, 'before'> & { readonly parameter: ParameterName })[]

/** The fields that can have an end time. */
export const WINDOW_FIELDS: readonly WindowField[] = ENDS.map(({ field }) => field)

/**
 * Returns the end times of a list, for the cursor of its next page and the header `x-sync-watermark`. End times in the
 * current cursor (`ofCursor`) take precedence, so that every page has the same end times.
 */
export function windowBounds(
  values: ParameterValues,
  watermark: Microseconds,
  ofCursor: WindowBounds = {},
): WindowBounds {
  const bounds: Partial<Record<WindowField, Microseconds>> = {}
  for (const { parameter, field } of ENDS) {
    const given = values.get(parameter)
    if (ofCursor[field] !== undefined) bounds[field] = ofCursor[field]
    // The value `now` is a string, and stands for the watermark.
    else if (given !== undefined) bounds[field] = typeof given === 'bigint' && given < watermark ? given : watermark
  }
  return bounds
}

/**
 * Returns the end times to read with; undefined for a list without end times. `cursor` is null on a first page. Then
 * `before` is null too, because the engine replaces it by the watermark that it reads with the page.
 */
export function windowOf(values: ParameterValues, cursor: WindowOfCursor | null): Window | undefined {
  const bounds = cursor === null ? {} : windowBounds(values, cursor.watermark, cursor.bounds)
  const ends = ENDS.filter(({ parameter, field }) => values.has(parameter) || bounds[field] !== undefined)
  return ends.length === 0 ? undefined : ends.map((end) => ({ ...end, before: bounds[end.field] ?? null }))
}
