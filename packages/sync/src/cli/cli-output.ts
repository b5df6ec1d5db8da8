// Separates what people read (standard error) from what programs read (standard output).

/** Where a command writes messages, results, and data. */
export interface CliOutput {
  /** Writes text for people to standard error. */
  writeMessage(text: string): void
  /** Writes a line of a result, such as an event, to standard output, and adds the line feed. */
  writeResult(line: string): void
  /**
   * Writes data to standard output. Resolves after the write, so that a slow reader slows the run; rejects if it fails.
   */
  writeData(text: string): Promise<void>
  /** Width of the terminal in characters; null if standard error is not a terminal. */
  readonly columns: number | null
}

/**
 * Writes an event as one line of JSON to standard output. The names of its top-level members become snake case, like
 * the names of the API. Names within members stay unchanged.
 */
export function printEvent({ writeResult }: CliOutput, event: object): void {
  const members = Object.entries(event).map(([name, value]) => [toSnakeCase(name), value])
  writeResult(JSON.stringify(Object.fromEntries(members)))
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
