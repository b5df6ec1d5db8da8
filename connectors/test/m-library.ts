// Implements the functions of Power Query that connectors/power-query calls.

import { invoke } from './m-interpreter.ts'
import {
  Binary,
  Currency,
  DateTime,
  Duration,
  Fn,
  Lazy,
  MError,
  type RecordValue,
  TableValue,
  TypeValue,
  type Value,
} from './m-values.ts'

export interface Journal {
  readonly requests: { readonly url: string; readonly isRetry: boolean }[]
  readonly waitedSeconds: number[]
}

/** Statuses for which Power Query shows the dialog of credentials, because only connectors can handle them. */
const CREDENTIAL_STATUSES = [401, 403]
const CONTENTS_OPTIONS = ['RelativePath', 'Query', 'Headers', 'ManualStatusHandling', 'Timeout', 'IsRetry']
/** The range of a currency, in units of 0.0001. */
const CURRENCY_MAX = 2n ** 63n - 1n

/** Returns the functions by name. Time passes without waiting. */
export function library(journal: Journal): Map<string, Lazy> {
  const functions: Readonly<Record<string, Fn>> = {
    'Web.Contents': fn(2, 2, (address, options) => contents(journal, address as string, options as RecordValue)),
    'Function.InvokeAfter': fn(2, 2, (called, { seconds }) => {
      journal.waitedSeconds.push(seconds)
      return invoke(called, [])
    }),
    '#duration': fn(
      4,
      4,
      (days, hours, minutes, seconds) => new Duration(((days * 24 + hours) * 60 + minutes) * 60 + seconds),
    ),
    'Binary.Buffer': fn(1, 1, (binary) => binary),
    'Value.Metadata': fn(1, 1, (value) => value.metadata),
    'Error.Record': fn(3, 3, (reason, message, detail) =>
      recordOf({ Reason: reason, Message: message, Detail: detail }),
    ),
    'Json.Document': fn(1, 2, (binary) => fromJson(JSON.parse(binary.bytes.toString('utf8')))),
    'Json.FromValue': fn(1, 2, async (value) => new Binary(Buffer.from(JSON.stringify(await toJson(value))))),
    'Text.FromBinary': fn(1, 2, (binary) => binary.bytes.toString('utf8')),
    'Text.From': fn(1, 2, (value) => (value === null ? null : String(value))),
    'Text.Combine': fn(1, 2, async (texts, separator) => (await valuesOf(texts)).join(separator ?? '')),
    'Text.Lower': fn(1, 2, (text) => text.toLowerCase()),
    'Number.Power': fn(2, 2, (base, exponent) => base ** exponent),
    'Number.From': fn(1, 2, (value) => numberOf(value)),
    'Number.FromText': fn(1, 2, (text, culture) => inEnglish(culture, numberOf(text))),
    'Currency.From': fn(1, 3, (text, culture) => inEnglish(culture, currencyOf(text))),
    'DateTimeZone.FromText': fn(1, 2, (text, culture) =>
      inEnglish(culture, new DateTime(new Date(text).toISOString(), true)),
    ),
    'DateTimeZone.ToUtc': fn(1, 1, (value) => value),
    'DateTimeZone.RemoveZone': fn(1, 1, ({ iso }) => new DateTime(iso, false)),
    'DateTime.ToText': fn(3, 3, ({ iso }, format) => formatted(iso, format)),
    'DateTimeZone.ToText': fn(3, 3, ({ iso }, format) => formatted(iso, format)),
    'Record.Field': fn(2, 2, (record, name) => fieldOf(record, name).get()),
    'Record.FieldOrDefault': fn(2, 3, (record, name, other) => record.get(name)?.get() ?? other ?? null),
    'Record.FieldNames': fn(1, 1, (record) => [...record.keys()].map(Lazy.of)),
    'Record.FieldValues': fn(1, 1, (record) => [...record.values()]),
    'Record.HasFields': fn(2, 2, async (record, names) => (await valuesOf(names)).every((name) => record.has(name))),
    'Record.RemoveFields': fn(2, 3, async (record, names) => {
      const removed = await valuesOf(names)
      return new Map([...record].filter(([name]) => !removed.includes(name)))
    }),
    'Record.FromList': fn(2, 2, async (values, names) => {
      const keys = (await valuesOf(names)) as string[]
      return new Map(keys.map((name, place) => [name, values[place]]))
    }),
    'List.IsEmpty': fn(1, 1, (list) => list.length === 0),
    'List.Contains': fn(2, 2, async (list, value) => (await valuesOf(list)).includes(value)),
    'List.Combine': fn(1, 1, async (lists) => ((await valuesOf(lists)) as Lazy[][]).flat()),
    'List.Transform': fn(2, 2, (list, transform) =>
      list.map((item: Lazy) => new Lazy(() => invoke(transform, [item]))),
    ),
    'List.Generate': fn(4, 4, generate),
    'Table.FromRows': fn(2, 2, tableOf),
  }
  const constants = {
    'TextEncoding.Utf8': 65_001,
    'Currency.Type': new TypeValue('Currency.Type'),
    'Int64.Type': new TypeValue('Int64.Type'),
  }
  return new Map(Object.entries({ ...functions, ...constants }).map(([name, value]) => [name, Lazy.of(value)]))
}

// biome-ignore lint/suspicious/noExplicitAny: each function knows the types of its arguments
function fn(required: number, most: number, call: (...values: any[]) => unknown): Fn {
  return new Fn(required, most, async (given) => {
    const values = []
    for (const each of given) values.push(await each.get())
    return (await call(...values)) as Value
  })
}

async function contents({ requests }: Journal, address: string, options: RecordValue): Promise<Binary> {
  const given = Object.fromEntries(
    await Promise.all([...options].map(async ([name, value]) => [name, await value.get()] as const)),
  ) as Record<string, Value>
  const unknown = Object.keys(given).find((name) => !CONTENTS_OPTIONS.includes(name))
  if (unknown !== undefined) throw new Error(`Web.Contents has no option ${unknown}`)
  const query = new URLSearchParams()
  for (const [name, value] of given.Query as RecordValue) query.set(name, (await value.get()) as string)
  const headers = new Headers()
  for (const [name, value] of given.Headers as RecordValue) headers.set(name, (await value.get()) as string)
  const suffix = query.size === 0 ? '' : `?${query}`
  const url = `${address.replace(/\/$/, '')}/${given.RelativePath}${suffix}`
  requests.push({ url, isRetry: given.IsRetry === true })
  const response = await fetch(url, { headers })
  const handled = (await valuesOf(given.ManualStatusHandling as Lazy[])) as number[]
  const isHandled = handled.includes(response.status) && !CREDENTIAL_STATUSES.includes(response.status)
  if (!response.ok && !isHandled)
    throw new MError('DataSource.Error', `Power Query handles status ${response.status}`, '')
  // Power Query retains the case of names. `fetch` does not, so the names here are as some proxies write them.
  const received = [...response.headers].map(([name, value]) => [
    name.replace(/^.|-./g, (at) => at.toUpperCase()),
    value,
  ])
  const metadata = { 'Response.Status': response.status, Headers: recordOf(Object.fromEntries(received)) }
  return new Binary(Buffer.from(await response.arrayBuffer()), recordOf(metadata))
}

async function generate(initial: Fn, condition: Fn, next: Fn, selector: Fn): Promise<Lazy[]> {
  const items: Lazy[] = []
  let state = await invoke(initial, [])
  while (await invoke(condition, [Lazy.of(state)])) {
    items.push(Lazy.of(await invoke(selector, [Lazy.of(state)])))
    state = await invoke(next, [Lazy.of(state)])
  }
  return items
}

async function tableOf(rows: readonly Lazy[], type: TypeValue): Promise<TableValue> {
  const cells = await Promise.all(rows.map(async (row) => valuesOf((await row.get()) as Lazy[])))
  if (cells.some((row) => row.length !== type.columns.size))
    throw new Error('the columns of the table do not match its rows')
  return new TableValue(type, cells)
}

function valuesOf(list: readonly Lazy[]): Promise<Value[]> {
  return Promise.all(list.map((item) => item.get()))
}

function recordOf(values: Readonly<Record<string, Value>>): RecordValue {
  return new Map(Object.entries(values).map(([name, value]) => [name, Lazy.of(value)]))
}

function fieldOf(record: RecordValue, name: string): Lazy {
  const field = record.get(name)
  if (field === undefined) throw new Error(`the field ${name} was not found`)
  return field
}

function fromJson(value: unknown): Value {
  if (Array.isArray(value)) return value.map((item) => Lazy.of(fromJson(item)))
  if (typeof value !== 'object' || value === null) return value as Value
  return recordOf(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromJson(each)])))
}

async function toJson(value: Value): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all((await valuesOf(value)).map(toJson))
  if (!(value instanceof Map)) return value
  const pairs = [...(value as RecordValue)].map(async ([name, each]) => [name, await toJson(await each.get())] as const)
  return Object.fromEntries(await Promise.all(pairs))
}

function numberOf(value: unknown): number {
  const number = Number(value)
  if (!Number.isFinite(number)) throw new MError('DataFormat.Error', `${value} is not a number`, '')
  return number
}

function currencyOf(text: string): Currency {
  const [whole = '', digits = ''] = text.split('.')
  const units = BigInt(whole + digits.padEnd(4, '0'))
  if (units > CURRENCY_MAX || units < -CURRENCY_MAX) throw new MError('Expression.Error', `${text} is out of range`, '')
  return new Currency(text)
}

/**
 * Returns the value. Throws without the culture `en-US`: in Power Query, the language of the computer would then decide
 * about decimal points and the order of dates.
 */
function inEnglish<T>(culture: unknown, value: T): T {
  if (culture !== 'en-US') throw new Error('the culture is missing')
  return value
}

function formatted(iso: string, format: string): string {
  if (format !== "yyyy-MM-dd'T'HH:mm:ss'Z'") throw new Error(`the format ${format} is not implemented`)
  return `${iso.slice(0, 19)}Z`
}
