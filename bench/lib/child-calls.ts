// A measured process's side of the conversation with the bench: see child.ts.

/** What goes back for a call. */
export interface CallAnswer {
  readonly value: unknown
  /** Null where the call succeeded. */
  readonly error: string | null
}

interface Call {
  readonly name: string
  readonly argument: unknown
}

/** Answers calls by name until the bench hangs up; then the process ends, after `close`. */
export function answerCalls(
  calls: Readonly<Record<string, (argument: never) => Promise<unknown>>>,
  close: () => Promise<void>,
): void {
  process.on('message', (message) => {
    const { name, argument } = message as Call
    void answer(async () => calls[name]?.(argument as never)).then((result) => process.send?.(result))
  })
  process.on('disconnect', () => void close().finally(() => process.exit()))
}

async function answer(run: () => Promise<unknown>): Promise<CallAnswer> {
  try {
    return { value: await run(), error: null }
  } catch (error) {
    return { value: null, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
