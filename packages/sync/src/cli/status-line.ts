// Writes the progress and the messages of a command to a terminal or a log.

import type { CliOutput } from './cli-output.ts'

const CLEAR_TO_END = '\u001b[K'

/** Writes lines for people. A terminal has a status line that changes in place. A log has timestamps instead. */
export class StatusLine {
  readonly #output: CliOutput
  readonly #clock: () => Date
  #isShown = false

  constructor(output: CliOutput, clock: () => Date = () => new Date()) {
    this.#output = output
    this.#clock = clock
  }

  /** Replaces the status line, cut to the width of the terminal. Does nothing without a terminal. */
  show(text: string): void {
    const { columns, writeMessage } = this.#output
    if (columns === null) return
    // In the last column, some terminals would start a new line.
    writeMessage(`\r${text.slice(0, columns - 1)}${CLEAR_TO_END}`)
    this.#isShown = true
  }

  /** Writes a permanent line. A log gets its time before it. On a terminal, it replaces the status line. */
  print(text: string): void {
    const isLog = this.#output.columns === null
    this.#writeLine(isLog ? `${this.#clock().toISOString().slice(0, 19)}Z ${text}` : text)
  }

  /** Removes the status line, if there is one. */
  clear(): void {
    if (this.#isShown) this.#output.writeMessage(`\r${CLEAR_TO_END}`)
    this.#isShown = false
  }

  /**
   * Writes the last line of a command, without a timestamp. On a terminal, it replaces the status line, also one of
   * another `StatusLine`.
   */
  end(text: string): void {
    this.#isShown = this.#output.columns !== null
    this.#writeLine(text)
  }

  #writeLine(text: string): void {
    this.#output.writeMessage(`${this.#isShown ? `\r${CLEAR_TO_END}` : ''}${text}\n`)
    this.#isShown = false
  }
}
