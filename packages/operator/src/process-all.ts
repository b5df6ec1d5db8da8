// Processes many stores with a maximum number at the same time, so that a store that hangs doesn't delay the others.

/**
 * Processes `items`, at most `atOnce` at a time. Returns the results in the order of the items. Calls `onDone` with
 * each result when it is ready, in any order. Rejects with the first error of `work`.
 */
export async function processAll<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { atOnce, onDone }: { readonly atOnce: number; readonly onDone: (result: Result) => void },
): Promise<Result[]> {
  const results: Result[] = []
  // A worker processes one item after the other. All workers take their items from the same iterator. After an error,
  // the others continue.
  const queue = items.entries()
  const runWorker = async () => {
    for (const [index, item] of queue) {
      const result = await work(item)
      results[index] = result
      onDone(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runWorker))
  return results
}
