// A time limit on a promise.

/** The limit passed before there was an answer. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed'
}

/** What `running` gives, or `TimeLimitPassed` after `timeoutMs`; then `onLate` is called, and `running` is left alone. */
export async function within<T>(timeoutMs: number, running: Promise<T>, onLate: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        onLate()
        reject(new TimeLimitPassed(`no answer within ${Math.round(timeoutMs)} ms`))
      },
      Math.max(1, timeoutMs),
    )
  })
  running.catch(() => undefined)
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
