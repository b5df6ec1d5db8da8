// Ends a list at the same time on every page. `updated_until` and `created_until` can be in the future, but rows that
// change while a client reads must not appear on later pages. So the first page bounds each end by its watermark, and
// the cursor carries the result (reading R37).

import type { Microseconds, ParameterName } from '@store-export/contract'
import type { Window, WindowEnd, WindowField } from '@store-export/engine'
import type { ParameterValues } from './query-parameters.ts'

/**
 * The end of the window for each field that has one: the first timestamp that the window excludes. It is at most the
 * watermark.
 */
export type WindowBounds = Readonly<Partial<Record<WindowField, Microseconds>>>

/** The parts of a cursor that later pages of a window need. */
interface WindowOfCursor {
  readonly watermark: Microseconds
  readonly bounds: WindowBounds
}

/** The parameters that end a window. */
const ENDS = [
  { parameter: 'updated_until', field: 'updated_at' },
  { parameter: 'created_until', field: 'created_at' },
] as const satisfies readonly (Omit<WindowEnd, 'before'> & { readonly parameter: ParameterName })[]

/** The fields that a window can bound. */
export const WINDOW_FIELDS: readonly WindowField[] = ENDS.map(({ field }) => field)

/** Returns the bounds of a list. The bounds of the cursor take precedence, so that every page has the same bounds. */
export function windowBounds(
  values: ParameterValues,
  watermark: Microseconds,
  ofCursor: WindowBounds = {},
): WindowBounds {
  const bounds: Partial<Record<WindowField, Microseconds>> = {}
  for (const { parameter, field } of ENDS) {
    const given = values.get(parameter)
    if (ofCursor[field] !== undefined) bounds[field] = ofCursor[field]
    else if (given !== undefined) bounds[field] = typeof given === 'bigint' && given < watermark ? given : watermark
  }
  return bounds
}

/** Returns the window to read; undefined for a list without one. `cursor` is null on a first page. */
export function windowOf(values: ParameterValues, cursor: WindowOfCursor | null): Window | undefined {
  const bounds = cursor === null ? {} : windowBounds(values, cursor.watermark, cursor.bounds)
  const ends = ENDS.filter(({ parameter, field }) => values.has(parameter) || bounds[field] !== undefined)
  return ends.length === 0 ? undefined : ends.map((end) => ({ ...end, before: bounds[end.field] ?? null }))
}
