// Where words go, and how numbers and times are written in them.

/** Where words go. */
export interface Output {
  /** For people: the standard error. */
  say(text: string): void
  /** For programs: the standard output. */
  print(line: string): void
  /** Columns of the terminal that a person looks at, so that a line may be written over; null where there is none. */
  readonly columns: number | null
}

/** A line for each event, as JSON for programs; names as the API writes them, `store_id`. */
export function printEvent({ print }: Output, event: object): void {
  const named = Object.entries(event).map(([name, value]) => [snake(name), value])
  print(JSON.stringify(Object.fromEntries(named)))
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Lines for people: on a terminal the next line replaces the last one; in a log each line begins with the time. */
export class LiveLine {
  readonly #output: Output
  readonly #clock: () => Date
  #isShown = false

  constructor(output: Output, clock: () => Date = () => new Date()) {
    this.#output = output
    this.#clock = clock
  }

  /** Shows `text` in place of the last one, cut to the terminal; nothing if there is no terminal. */
  show(text: string): void {
    const { columns, say } = this.#output
    if (columns === null) return
    say(`\r${text.slice(0, columns - 1)}${CLEAR}`)
    this.#isShown = true
  }

  /** Writes a line that stays. */
  say(text: string): void {
    const isLog = this.#output.columns === null
    this.#line(isLog ? `${this.#clock().toISOString().slice(0, 19)}Z ${text}` : text)
  }

  /** Removes the shown line. */
  clear(): void {
    if (this.#isShown) this.#output.say(`\r${CLEAR}`)
    this.#isShown = false
  }

  /** Writes the last line of a command, in place of one that may be shown. */
  end(text: string): void {
    this.#isShown = this.#output.columns !== null
    this.#line(text)
  }

  #line(text: string): void {
    this.#output.say(`${this.#isShown ? `\r${CLEAR}` : ''}${text}\n`)
    this.#isShown = false
  }
}

/** Clears the rest of a line. */
const CLEAR = '\u001b[K'

const NAME_WIDTH = 20
/** Columns of a number of rows. */
export const NUMBER_WIDTH = 9

/** How a line of a table begins: its name, and how many rows. */
export function tableText(table: string, rows: number): string {
  return `  ${table.padEnd(NAME_WIDTH)}${numberText(rows).padStart(NUMBER_WIDTH)}`
}

/** `12,250` */
export function numberText(value: number): string {
  return value.toLocaleString('en')
}

/** `8 s`, `4 min`, `2 h 05 min` */
export function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
