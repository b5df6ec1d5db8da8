// Handles the benchmark's calls in a measured process. child.ts sends the calls.

/** The result of a call, or its error. */
export interface CallResult {
  readonly value: unknown
  /** Message of the error; null if the call succeeded. */
  readonly error: string | null
}

interface Call {
  readonly name: string
  readonly argument: unknown
}

/**
 * Handles calls by name until the benchmark disconnects. Then the process calls `close` and exits. A call with an
 * unknown name does nothing and returns undefined.
 */
export function handleCalls(
  calls: Readonly<Record<string, (argument: never) => Promise<unknown>>>,
  close: () => Promise<void>,
): void {
  process.on('message', (message) => {
    const { name, argument } = message as Call
    void resultOf(async () => calls[name]?.(argument as never)).then((result) => process.send?.(result))
  })
  process.on('disconnect', () => void close().finally(() => process.exit()))
}

async function resultOf(run: () => Promise<unknown>): Promise<CallResult> {
  try {
    return { value: await run(), error: null }
  } catch (error) {
    return { value: null, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
