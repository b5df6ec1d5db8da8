// Checks whether a served row has exactly the fields of the specification, in their order, with their types.

import { SPEC_FIELDS, type SpecResource } from './spec-fields.ts'

/** Returns the differences between a row and the specification; empty if there are none. */
export function deviations(row: unknown, resource: SpecResource): string[] {
  if (!isObject(row)) return [`${resource} is no object`]
  const table = SPEC_FIELDS[resource].map((line) => line.split(' | ') as [string, string])
  const expected = table.map(([name]) => name).join(' ')
  const found = Object.keys(row).join(' ')
  if (found !== expected) return [`${resource} has the fields ${found}`]
  return table.flatMap(([name, type]) => deviationsOf(row[name], type).map((what) => `${resource}.${name} ${what}`))
}

/** Returns the fields of a resource that may be null by the specification. */
export function nullableFields(resource: SpecResource): string[] {
  return SPEC_FIELDS[resource].filter((line) => line.endsWith(' or null')).map((line) => line.split(' | ')[0] ?? '')
}

function deviationsOf(value: unknown, notation: string): string[] {
  const nullable = notation.endsWith(' or null')
  const type = nullable ? notation.slice(0, -' or null'.length) : notation
  if (value === null) return nullable ? [] : ['is null']
  if (type.endsWith('[]') && type !== 'string[]') {
    const child = type.slice(0, -2) as SpecResource
    return Array.isArray(value) ? value.flatMap((each) => deviations(each, child)) : ['is no array']
  }
  const check = CHECKS[type]
  if (check === undefined) throw new Error(`no check for ${type}`)
  return check(value) ? [] : [`is ${JSON.stringify(value)} and no ${type}`]
}

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  uuid: (value) => matches(value, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  string: (value) => typeof value === 'string',
  'decimal string': (value) => matches(value, /^-?(0|[1-9]\d*)\.\d\d$/),
  coordinate: (value) => matches(value, /^-?(0|[1-9]\d*)(\.\d+)?$/),
  timestamp: (value) => matches(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) && isTimestamp(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  'string[]': (value) => isArrayOf(value, (each) => typeof each === 'string'),
  'order status': (value) => matches(value, /^(pending|paid|shipped|delivered|cancelled|refunded|return_requested)$/),
  'product status': (value) => matches(value, /^(draft|active|archived)$/),
  'payment provider': (value) => matches(value, /^(processor|manual)$/),
  'weight unit': (value) => matches(value, /^(kg|g|lb|oz)$/),
  counts: (value) =>
    keysOf(value) === 'products categories customers orders' && Object.values(value as object).every(isCount),
  'order address': (value) =>
    keysOf(value) === 'firstName lastName line1 line2 city state postalCode country phone' &&
    Object.values(value as object).every((each) => each === null || typeof each === 'string'),
  'tax breakdown': (value) => isArrayOf(value, (each) => sortedKeysOf(each) === 'baseCents rate taxCents'),
  metafields: (value) => isArrayOf(value, (each) => sortedKeysOf(each) === 'key label value'),
  'opening hours': (value) =>
    isArrayOf(value, (each, index) => sortedKeysOf(each) === 'close closed day open' && isDay(each, index)) &&
    (value as unknown[]).length === 7,
  translations: (value) =>
    isObject(value) &&
    Object.values(value).every((each) => /^(description )?name$|^description$/.test(sortedKeysOf(each))),
}

function isDay(entry: unknown, index: number): boolean {
  if (!isObject(entry)) return false
  const { day, open, close, closed } = entry
  return day === index && typeof open === 'string' && typeof close === 'string' && typeof closed === 'boolean'
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0
}

function isTimestamp(value: unknown): boolean {
  return new Date(String(value)).toISOString() === value
}

function isArrayOf(value: unknown, check: (each: unknown, index: number) => boolean): boolean {
  return Array.isArray(value) && value.every(check)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function keysOf(value: unknown): string {
  return isObject(value) ? Object.keys(value).join(' ') : ''
}

function sortedKeysOf(value: unknown): string {
  return isObject(value) ? Object.keys(value).sort().join(' ') : ''
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
