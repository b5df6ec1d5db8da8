// Examines many stores, a bounded number at once.

/** Examines `items`, `atOnce` at a time; the results in their order. `onDone` is called after each. */
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
