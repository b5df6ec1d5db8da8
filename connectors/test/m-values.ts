// Defines the values and errors of the language of Power Query.

/** A value that is computed when it is first needed. */
export class Lazy {
  private value: Promise<Value> | undefined
  private readonly compute: () => Promise<Value>

  constructor(compute: () => Promise<Value>) {
    this.compute = compute
  }

  /** Returns the value, and computes it at the first call. */
  get(): Promise<Value> {
    this.value ??= this.compute()
    return this.value
  }

  /** Returns a value that is already computed. */
  static of(value: Value): Lazy {
    return new Lazy(async () => value)
  }
}

/** A record: values by the names of its fields. */
export type RecordValue = ReadonlyMap<string, Lazy>
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Lazy[]
  | RecordValue
  | Fn
  | Currency
  | DateTime
  | Duration
  | Binary
  | TypeValue
  | TableValue

/** A function. The number of parameters includes the optional ones. */
export class Fn {
  readonly required: number
  readonly most: number
  readonly call: (given: readonly Lazy[]) => Promise<Value>

  constructor(required: number, most: number, call: (given: readonly Lazy[]) => Promise<Value>) {
    Object.assign(this, { required, most, call })
    this.required = required
    this.most = most
    this.call = call
  }
}

/** A fixed decimal number with four digits after the point. */
export class Currency {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A timestamp in UTC, with or without its time zone. */
export class DateTime {
  readonly iso: string
  readonly hasZone: boolean
  constructor(iso: string, hasZone: boolean) {
    this.iso = iso
    this.hasZone = hasZone
  }
}

export class Duration {
  readonly seconds: number
  constructor(seconds: number) {
    this.seconds = seconds
  }
}

export class Binary {
  readonly bytes: Buffer
  readonly metadata: RecordValue
  constructor(bytes: Buffer, metadata: RecordValue = new Map()) {
    this.bytes = bytes
    this.metadata = metadata
  }
}

/** A type. Types of tables have the types of their columns. */
export class TypeValue {
  readonly name: string
  readonly columns: ReadonlyMap<string, string>
  constructor(name: string, columns: ReadonlyMap<string, string> = new Map()) {
    this.name = name
    this.columns = columns
  }
}

/** A table: the types of its columns, and its rows. */
export class TableValue {
  readonly type: TypeValue
  readonly rows: readonly (readonly Value[])[]
  constructor(type: TypeValue, rows: readonly (readonly Value[])[]) {
    this.type = type
    this.rows = rows
  }
}

/** An error of the query, which `try` catches. */
export class MError extends Error {
  readonly reason: string
  readonly detail: string
  constructor(reason: string, message: string, detail: string) {
    super(message)
    this.reason = reason
    this.detail = detail
  }
}
