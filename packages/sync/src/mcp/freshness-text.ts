// Writes the text of the tool `freshness`.

import { syncedTable } from './as-of.ts'
import type { ReadCopy, ToolText } from './tool-text.ts'
import { ALL_TABLES } from './visible-columns.ts'

/**
 * Returns a JSON line for each readable table: the time of its data, its number of rows, and the start of its last full
 * walk. The first time is null before any walk has ended, and the last one before a full walk has ended.
 */
export async function freshnessText(read: ReadCopy): Promise<ToolText> {
  const { readable } = await read([])
  const names = ALL_TABLES.map(({ name }) => name).filter((name) => readable[name] !== undefined)
  const reading = await read(names.map((name) => ({ sql: `select count(*) as rows from "${name}"` })))
  const lines = names.map((name, index) => {
    const state = reading.states.find(({ table_name }) => table_name === syncedTable(name))
    const [rows] = JSON.parse(reading.results[index]?.rows[0] ?? '[null]') as unknown[]
    return JSON.stringify([name, state?.since ?? null, rows, state?.whole_at ?? null])
  })
  const text = [
    '["table","as_of","rows","last_read_as_a_whole"]',
    ...lines,
    'Changes up to as_of are in the copy. A row that the store deleted after last_read_as_a_whole can still be in the copy, unless a run with --prune removed it.',
  ]
  return { text: text.join('\n'), reading }
}
