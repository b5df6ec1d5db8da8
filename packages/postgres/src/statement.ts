// Builds statements: a text, and the values that it names `$1`, `$2`, and so on. The tag `sql` writes both.

/** A value of a statement. The server casts the value to the type that the statement needs. */
export type Value = string | number | bigint | boolean | Date | Uint8Array | null | readonly (string | number | null)[]

/** A parameter as the client sends it: PostgreSQL's text format, or null. */
export type WireValue = string | null

/** A statement to run: its text and the values for `$1`, `$2`, and so on. */
export interface Statement {
  readonly text: string
  readonly values: readonly Value[]
  /**
   * Whether the connection prepares the statement, so that the server parses it once. Use this only for statements that
   * run often, because each connection caches at most `PREPARED_MAX` statements.
   */
  readonly prepared?: boolean
}

/** A statement or a part of one, which can be inserted into an `sql` template. */
export class SqlFragment implements Statement {
  readonly text: string
  readonly values: readonly Value[]
  /** The text around the parameters. There is one more piece than there are values. */
  readonly pieces: readonly string[]

  constructor(pieces: readonly string[], values: readonly Value[]) {
    // `reduce` calls the function first with the index 1, so the first parameter is `$1`.
    this.text = pieces.reduce((text, piece, index) => `${text}$${index}${piece}`)
    this.values = values
    this.pieces = pieces
  }
}

/**
 * Returns the statement of a template, such as ``sql`select name from stores where id = ${id}` ``. A value becomes a
 * parameter, so it can't change the SQL. Another `sql` becomes a part of the text, with its own values. The tag doesn't
 * run the statement.
 */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (Value | SqlFragment)[]): SqlFragment {
  const values: Value[] = []
  const pieces: string[] = []
  let piece = texts[0] ?? ''
  inserted.forEach((one, index) => {
    const [first = '', ...others] = one instanceof SqlFragment ? one.pieces : ['', '']
    values.push(...(one instanceof SqlFragment ? one.values : [one]))
    piece += first
    for (const other of others) {
      pieces.push(piece)
      piece = other
    }
    piece += texts[index + 1] ?? ''
  })
  return new SqlFragment([...pieces, piece], values)
}

/**
 * Returns the name of a table, a column, or a role for a template, quoted by `quoteIdentifier`. Throws `TypeError` for
 * '' and for a name with a NUL character.
 */
export function identifier(name: string): SqlFragment {
  return new SqlFragment([quoteIdentifier(name)], [])
}

/**
 * Returns the name in double quotes. Quotes in the name are doubled, so it can't end early. Throws `TypeError` for ''
 * and for a name with a NUL character.
 */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new TypeError(`not a name of PostgreSQL: ${JSON.stringify(name)}`)
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Returns the text form of a value that PostgreSQL reads; null for null. Throws `TypeError` for an invalid date, and
 * for a value or an element of another type.
 */
export function wireValue(value: Value): WireValue {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(arrayElement).join()}}`
  throw new TypeError(`a value of type ${typeof value} cannot be bound to a statement`)
}

function arrayElement(element: unknown): string {
  if (element === null) return 'null'
  if (typeof element === 'number') return String(element)
  if (typeof element === 'string') return `"${element.replace(/["\\]/g, '\\$&')}"`
  throw new TypeError(`an array with an element of type ${typeof element} cannot be bound to a statement`)
}
