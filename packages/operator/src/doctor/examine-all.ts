// Examines many stores with bounded concurrency.

/** Examines `items`, at most `atOnce` at a time. Returns the reports in the order of the items. Calls `onDone` after each item. */
export async function examineAll<Item, Report>(
  items: readonly Item[],
  examine: (item: Item) => Promise<Report>,
  { atOnce, onDone }: { readonly atOnce: number; readonly onDone: (report: Report) => void },
): Promise<Report[]> {
  const reports: Report[] = []
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
