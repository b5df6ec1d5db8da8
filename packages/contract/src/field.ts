// The kinds of field a resource is made of, and how one is declared. Data only: the SQL, the bytes on the wire, the
// OpenAPI schema and the client's types are derived from it elsewhere.

import type { Resource } from './resource.ts'
import type { RevisionId } from './revisions.ts'

/** What a JSON column holds: which outer type, and what is inside. */
export type JsonShape =
  /** An object of which exactly `keys` are served, in this order, absent ones as null (R32). */
  | { readonly outer: 'object'; readonly keys: readonly string[] }
  /** An object with names that are data, for example locales or option names. */
  | { readonly outer: 'object'; readonly valuesOf: JsonEntry }
  /** An array of objects. */
  | { readonly outer: 'array'; readonly entries: JsonEntry }

/** Members of an object inside JSON, by name; `any` is a member of whatever type was stored. */
export type JsonEntry = 'any' | Readonly<Record<string, JsonMember>>

/** Type of one member inside stored JSON. */
export type JsonMember = 'text' | 'integer' | 'number' | 'boolean' | 'any'

/** What a field is, apart from its name. */
export type FieldType =
  | { readonly kind: 'uuid' }
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'boolean' }
  /** Decimal string with exactly two decimals, half away from zero (R20). A weight is no amount of a currency. */
  | { readonly kind: 'money'; readonly isWeight?: true }
  /** Decimal string with the digits that are stored (R19). */
  | { readonly kind: 'decimal' }
  | { readonly kind: 'timestamp' }
  /** Text out of `values`; what is stored outside them is served as `others`, or as stored (R33, R34). */
  | { readonly kind: 'oneOf'; readonly values: readonly string[]; readonly others?: string }
  /** Array of text; the value of field `first` is put in front where it is missing (R35). */
  | { readonly kind: 'texts'; readonly first?: string }
  | { readonly kind: 'json'; readonly shape: JsonShape }
  /** Rows of another resource that point here by `parent`, embedded, oldest first. */
  | { readonly kind: 'many'; readonly resource: Resource; readonly parent: string }
  /** Row counts of `tables`. */
  | { readonly kind: 'counts'; readonly tables: readonly string[] }

/** Name of a kind of field. */
export type FieldKind = FieldType['kind']

/** A declared field. `note` is required so that an undocumented field does not compile. */
export interface Field {
  readonly type: FieldType
  readonly note: string
  readonly nullable: boolean
  /** First revision whose stores have the column; older stores serve null. */
  readonly since: RevisionId
  /** Served as null on rows where another field has this value (R34). */
  readonly nullWhen?: { readonly field: string; readonly value: string }
  /** Set where it is read for the row's place in its list alone, and not served. */
  readonly unserved?: true
}

/** A field being declared: itself a `Field`, with words that return a changed copy. */
export interface FieldDeclaration extends Field {
  orNull(): FieldDeclaration
  from(revision: RevisionId): FieldDeclaration
  nullWhenever(field: string, value: string): FieldDeclaration
}

/** Declares a UUID, lower case on the wire. */
export const uuid = (note: string): FieldDeclaration => declare({ kind: 'uuid' }, note)
/** Declares a text. */
export const text = (note: string): FieldDeclaration => declare({ kind: 'text' }, note)
/** Declares a 32-bit whole number. */
export const integer = (note: string): FieldDeclaration => declare({ kind: 'integer' }, note)
/** Declares a boolean. */
export const boolean = (note: string): FieldDeclaration => declare({ kind: 'boolean' }, note)
/** Declares an amount of money: a decimal string with two decimals. */
export const money = (note: string): FieldDeclaration => declare({ kind: 'money' }, note)
/** Declares a weight: a decimal string with two decimals. */
export const weight = (note: string): FieldDeclaration => declare({ kind: 'money', isWeight: true }, note)
/** Declares a decimal string that keeps the digits stored. */
export const decimal = (note: string): FieldDeclaration => declare({ kind: 'decimal' }, note)
/** Declares an instant: ISO 8601, UTC, milliseconds. */
export const timestamp = (note: string): FieldDeclaration => declare({ kind: 'timestamp' }, note)
/** Declares a text out of a list; with `others`, every other stored value is served as that one. */
export const oneOf = (values: readonly string[], note: string, others?: string): FieldDeclaration =>
  declare(others === undefined ? { kind: 'oneOf', values } : { kind: 'oneOf', values, others }, note)
/** Declares an array of text; the value of the field `first` leads it. */
export const texts = (note: string, first?: string): FieldDeclaration =>
  declare(first === undefined ? { kind: 'texts' } : { kind: 'texts', first }, note)
/** Declares stored JSON. */
export const json = (shape: JsonShape, note: string): FieldDeclaration => declare({ kind: 'json', shape }, note)
/** Declares embedded rows of `resource` whose column `parent` holds this row's id. */
export const many = (resource: Resource, parent: string, note: string): FieldDeclaration =>
  declare({ kind: 'many', resource, parent }, note)
/** Declares an object of row counts. */
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
  }
}
