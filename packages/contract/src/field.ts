// Defines how resources declare their fields: kinds of fields, and modifiers. A resource declares each field once. The
// column expression in SQL, the encoder, OpenAPI, and the client's types are derived from the declaration. Numbers such
// as R32 refer to docs/spec/readings.md, which settles what the specification leaves open.

import type { Resource } from './resource.ts'
import type { RevisionId } from './revisions.ts'

/** The shape of the JSON in a column. */
export type JsonShape =
  /** An object. The API serves exactly `keys`, in this order, and null for a missing key (R32). */
  | { readonly outer: 'object'; readonly keys: readonly string[] }
  /** An object whose member names are data, for example locales or option names. */
  | { readonly outer: 'object'; readonly valuesOf: JsonEntry; readonly entryName?: EntryName }
  /** An array of objects. */
  | { readonly outer: 'array'; readonly entries: JsonEntry; readonly entryName?: EntryName }

/** Name of an entry's type in generated code, in Pascal case. Without it, each code generator makes up a name. */
type EntryName = string

/** Members of an object inside JSON, by name. `any` allows every JSON value. */
export type JsonEntry = 'any' | Readonly<Record<string, JsonMember>>

/** Type of a member inside stored JSON. `any` allows every JSON value. */
export type JsonMember = 'text' | 'integer' | 'number' | 'boolean' | 'any'

/** Type of a field's values in JSON, apart from null. */
export type FieldType =
  | { readonly kind: 'uuid' }
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'boolean' }
  /** Decimal string with two decimals, rounded half away from zero (R20). A weight has no currency. */
  | { readonly kind: 'money'; readonly isWeight?: true }
  /** Decimal string with the stored digits (R19). */
  | { readonly kind: 'decimal' }
  | { readonly kind: 'timestamp' }
  /**
   * One of `values`. Any other stored value except null is served as `others`, or unchanged without `others` (R33 and
   * R34).
   */
  | { readonly kind: 'oneOf'; readonly values: readonly string[]; readonly others?: string }
  /** Array of strings. If the value of the field `first` is missing, the API puts it in front (R35). */
  | { readonly kind: 'texts'; readonly first?: string }
  | { readonly kind: 'json'; readonly shape: JsonShape }
  /** Embedded rows of another resource, oldest first. Their column `parent` has the ID of this row. */
  | { readonly kind: 'many'; readonly resource: Resource; readonly parent: string }
  /** Row counts of `tables`. */
  | { readonly kind: 'counts'; readonly tables: readonly string[] }

/** Kind of a field, such as `money` or `timestamp`. */
export type FieldKind = FieldType['kind']

/**
 * What a key without personal data gets in place of a personal value:
 * - `null`: null, or a pseudonym if the field is required.
 * - `pseudonym`: a pseudonym. Equal values of a store have equal pseudonyms, so that you can still count and group.
 * - `region`: the country and the state of an address.
 */
export type PersonalRemainder = 'null' | 'pseudonym' | 'region'

/** A field. `note` is required, so an undocumented field does not compile. */
export interface Field {
  readonly type: FieldType
  readonly note: string
  readonly nullable: boolean
  /**
   * First schema version whose stores have the column; `launch` if it is as old as its table. Older stores have null.
   */
  readonly since: RevisionId
  /** The API serves null if another field of the row has this value (R34). */
  readonly nullWhen?: { readonly field: string; readonly value: string }
  /**
   * What a key without personal data gets in place of the value. Set if the value can identify a person who buys in the
   * store.
   */
  readonly personal?: PersonalRemainder
  /** What the service reads in place of the value. Set only in the resources that without-personal-data.ts derives. */
  readonly reducedTo?: PersonalRemainder
  /**
   * Set if the service reads the field, but does not serve it, such as the creation time by which a list of IDs is
   * sorted.
   */
  readonly unserved?: true
}

/** A `Field` with methods that return a changed copy. */
export interface FieldDeclaration extends Field {
  /** The field can be null on every store. */
  orNull(): FieldDeclaration
  /** Stores older than `revision` do not have the column, so the field can be null. */
  from(revision: RevisionId): FieldDeclaration
  /** The API serves null if another field of the row has `value` (R34). */
  nullWhenever(field: string, value: string): FieldDeclaration
  /** The value can identify a person. `remainder` is what a key without personal data gets in its place. */
  asPersonal(remainder: PersonalRemainder): FieldDeclaration
}

/** Declares a UUID, which is in lower case in JSON. */
export const uuid = (note: string): FieldDeclaration => declare({ kind: 'uuid' }, note)
/** Declares a string of any length. */
export const text = (note: string): FieldDeclaration => declare({ kind: 'text' }, note)
/** Declares a 32-bit integer. */
export const integer = (note: string): FieldDeclaration => declare({ kind: 'integer' }, note)
/** Declares a boolean. */
export const boolean = (note: string): FieldDeclaration => declare({ kind: 'boolean' }, note)
/** Declares an amount of money: a decimal string with two decimals. */
export const money = (note: string): FieldDeclaration => declare({ kind: 'money' }, note)
/** Declares a weight: a decimal string with two decimals. */
export const weight = (note: string): FieldDeclaration => declare({ kind: 'money', isWeight: true }, note)
/** Declares a decimal string with the stored digits. */
export const decimal = (note: string): FieldDeclaration => declare({ kind: 'decimal' }, note)
/** Declares a timestamp: ISO 8601, UTC, milliseconds. */
export const timestamp = (note: string): FieldDeclaration => declare({ kind: 'timestamp' }, note)
/**
 * Declares a string from a list. With `others`, every other stored value except null is served as `others`. Without it,
 * other values are served unchanged.
 */
export const oneOf = (values: readonly string[], note: string, others?: string): FieldDeclaration =>
  declare(others === undefined ? { kind: 'oneOf', values } : { kind: 'oneOf', values, others }, note)
/** Declares an array of strings. The value of the field `first` is in front if the array does not contain it. */
export const texts = (note: string, first?: string): FieldDeclaration =>
  declare(first === undefined ? { kind: 'texts' } : { kind: 'texts', first }, note)
/** Declares a JSON object or array with this shape. */
export const json = (shape: JsonShape, note: string): FieldDeclaration => declare({ kind: 'json', shape }, note)
/** Declares embedded rows of `resource`. Their column `parent` has the ID of this row. */
export const many = (resource: Resource, parent: string, note: string): FieldDeclaration =>
  declare({ kind: 'many', resource, parent }, note)
/** Declares an object with the row count of each table. */
export const counts = (tables: readonly string[], note: string): FieldDeclaration =>
  declare({ kind: 'counts', tables }, note)

function declare(type: FieldType, note: string): FieldDeclaration {
  return withModifiers({ type, note, nullable: false, since: 'launch' })
}

function withModifiers(field: Field): FieldDeclaration {
  return {
    ...field,
    orNull: () => withModifiers({ ...field, nullable: true }),
    from: (since) => withModifiers({ ...field, nullable: true, since }),
    nullWhenever: (name, value) => withModifiers({ ...field, nullWhen: { field: name, value } }),
    asPersonal: (personal) => withModifiers({ ...field, personal }),
  }
}
