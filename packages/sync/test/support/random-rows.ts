// Random rows for the tables of a store, with the columns of its schema version and values that careless programs
// change.

import {
  type Field,
  includesRevision,
  type JsonEntry,
  type JsonMember,
  type JsonShape,
  type Resource,
  type RevisionId,
} from '@store-export/contract'
import type { Random } from './random.ts'

/** A row to write: values by column. */
export type SourceRow = Record<string, unknown>

export interface RowOptions {
  readonly random: Random
  readonly resource: Resource
  readonly revision: RevisionId
  /** Values that are not random, such as the ID, the timestamps and the parent. */
  readonly fixed: SourceRow
}

/** Columns whose values are unique in a store. */
const UNIQUE = new Set(['email', 'slug', 'sku'])

const TEXTS = [
  ...[
    '',
    ' ',
    '007',
    '1e5',
    '00012345678901234567890',
    'null',
    'NULL',
    'TRUE',
    'false',
    'NaN',
    '2026-01-01',
    '{}',
    '__proto__',
  ],
  ...['=1+1', '+49 30 1', '-1', '@x', "'=1+1", "''@x", "'s Gravenhage", '\t=1', '＝1+1', '-5.00', '\\N', '#REF!'],
  ...['a\nb', 'a\r\nb', 'a\rb', '\n', '"', '""', '"quoted", he said', 'a;b,c\td', ' spaces ', "O'Hara", '\\', '%s $1'],
  ...[
    'Größe',
    'ẞ',
    'e\u0301',
    '🛒',
    '👩‍👩‍👧‍👦',
    '\u202eright to left',
    '\ufeff',
    '\u200b',
    '漢字',
    '\u2028',
    '\u00a0',
    '\ufffd',
  ],
  ...['<b>&amp;</b>', ']]>', '_x0041_', '\u0001\u001f', '\u007f', '\ufffe\uffff', "'; drop table orders; --"],
]
/**
 * Names for members of JSON, without backslashes. After JSON.parse of Node 24 has read a member with the name "\\", it
 * reads {"a":1,"\n":1} as {"a":1,"\\":1}.
 */
const NAMES = TEXTS.filter((text) => !text.includes('\\'))
const NUMBERS = [
  '0',
  '-0.005',
  '0.005',
  '1',
  '1.1',
  '19.99',
  '-7.5',
  '99999999999999.99',
  '123456789012345678901234567890',
]
const DECIMALS = [
  '0',
  '0.0000001',
  '52.5200066',
  '-180',
  '13.40495400000',
  '1e-20',
  '123456789012345678901234567890.123',
]
const FAR = ['0001-01-01 00:00:00+00', '1899-12-31 23:59:59.999999+00', '1969-12-31 23:59:59.9999+00', '9999-12-31+00']
const INTEGERS = [0, 1, -1, 42, 2_147_483_647, -2_147_483_648]

/** Returns a row with random values, except those of `fixed`. */
export function randomRow({ random, resource, revision, fixed }: RowOptions): SourceRow {
  const row: SourceRow = {}
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.type.kind === 'many' || field.type.kind === 'counts' || !includesRevision(revision, field.since)) continue
    row[name] = name in fixed ? fixed[name] : randomValue(random, name, field)
  }
  return { ...row, ...fixed }
}

/** Returns a very early or late timestamp in PostgreSQL's format. */
export function farTimestamp(random: Random): string {
  return random.pick(FAR)
}

function randomValue(random: Random, name: string, { type, nullable }: Field): unknown {
  const isUnique = UNIQUE.has(name)
  if (nullable && random.chance(0.25)) return null
  switch (type.kind) {
    case 'uuid':
      return random.uuid()
    case 'text':
      return isUnique ? `${random.pick(TEXTS)}${random.uuid()}` : random.pick(TEXTS)
    case 'integer':
      return random.pick(INTEGERS)
    case 'boolean':
      return random.chance(0.5)
    case 'money':
      return random.chance(0.5) ? `${random.below(1e6) - 1e5}.${random.below(100)}` : random.pick(NUMBERS)
    case 'decimal':
      return random.pick(DECIMALS)
    case 'timestamp':
      return farTimestamp(random)
    case 'oneOf':
      return random.chance(0.9) ? random.pick(type.values) : random.pick(TEXTS)
    case 'texts':
      return random.some(TEXTS, random.below(4))
    case 'json':
      return randomJson(random, type.shape)
    default:
      return null
  }
}

function randomJson(random: Random, shape: JsonShape): unknown {
  if (shape.outer === 'array') return Array.from({ length: random.below(3) }, () => randomEntry(random, shape.entries))
  const names = 'keys' in shape ? [...shape.keys, 'more'] : random.some(NAMES, random.below(4))
  return Object.fromEntries(
    random
      .some(names, names.length)
      .map((name) => [name, 'keys' in shape ? random.pick([...TEXTS, null]) : randomEntry(random, shape.valuesOf)]),
  )
}

function randomEntry(random: Random, entry: JsonEntry): unknown {
  if (entry === 'any') return randomAny(random)
  return Object.fromEntries(Object.entries(entry).map(([name, member]) => [name, randomMember(random, member)]))
}

function randomMember(random: Random, member: JsonMember): unknown {
  if (member === 'text') return random.pick(TEXTS)
  if (member === 'integer') return random.pick(INTEGERS)
  if (member === 'number') return random.pick([0, 7.7, -19, 0.1, 1e-7])
  return member === 'boolean' ? random.chance(0.5) : randomAny(random)
}

function randomAny(random: Random): unknown {
  const simple = [random.pick(TEXTS), random.pick(INTEGERS), 1.5, null, true, [], {}]
  const nested = random.some(simple, 3)
  return random.pick([...simple, nested, Object.fromEntries(nested.map((value, index) => [`name ${index}`, value]))])
}
