// Examines many stores with a maximum number at the same time, so that a store that hangs doesn't delay the report of
// the others.

/**
 * Examines `items`, at most `atOnce` at a time. Returns the reports in the order of the items. Calls `onDone` with each
 * report when it is ready, in any order. Rejects with the first error of `examine`.
 */
export async function examineAll<Item, Report>(
  items: readonly Item[],
  examine: (item: Item) => Promise<Report>,
  { atOnce, onDone }: { readonly atOnce: number; readonly onDone: (report: Report) => void },
): Promise<Report[]> {
  const reports: Report[] = []
  // All workers take their items from the same iterator. After an error, the other workers continue.
  const queue = items.entries()
  const work = async () => {
    for (const [index, item] of queue) {
      const report = await examine(item)
      reports[index] = report
      onDone(report)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return reports
}
