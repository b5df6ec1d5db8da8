// Checks the types of a store's columns. Reads nothing itself.

import { childrenOf, RESOURCES } from '@store-export/contract'
import { readableTypes } from '@store-export/engine'
import { quoteName, quoteTable } from '../store-schema/sql-text.ts'
import { migrationType } from './add-columns-sql.ts'
import { consequenceOf } from './consequences.ts'
import type { ColumnFact } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/**
 * Returns the check that the service can read the type of each column of the contract. Skips other columns, and the
 * columns that mark removed rows, because they are only compared with null.
 */
export function checkTypes(columns: readonly ColumnFact[], schemaName: string): DoctorCheck {
  const findings = columns.flatMap((fact): DoctorFinding[] => {
    const { table, column, type } = fact
    const accepted = acceptedTypes(table, column)
    if (accepted === null || accepted.includes(type)) return []
    const { severity, effect } = consequenceOf(table, [column], columns)
    const types = accepted.map(spell).join(', ')
    const message = `${table}.${column} has the type ${spell(type)}, not one of ${types}: ${effect}`
    return [{ severity, code: 'wrong_type', message, fix: changeTypeSql(fact, schemaName) }]
  })
  return { name: 'types', summary: 'the service can read the type of every column', findings }
}

/**
 * Returns the types that the service can read from a column; null if it accepts each type, or doesn't read the column.
 */
function acceptedTypes(table: string, column: string): readonly string[] | null {
  const all = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])
  const resource = all.find((each) => each.table === table)
  return resource === undefined ? null : readableTypes(resource, column)
}

/** Returns the name of a type as in SQL. For example, the catalog has `_text` for the SQL type `text[]`. */
function spell(type: string): string {
  return type.startsWith('_') ? `${type.slice(1)}[]` : type
}

/**
 * Returns SQL that changes the column to its type in the migrations. For a view, a materialized view, or a foreign
 * table, it is a comment.
 */
function changeTypeSql({ table, column, relation }: ColumnFact, schemaName: string): string {
  const [target, name, type] = [quoteTable(schemaName, table), quoteName(column), migrationType(`${table}.${column}`)]
  return relation === 'table' || relation === 'partitioned table'
    ? `alter table ${target} alter column ${name} type ${type} using ${name}::${type}; -- locks the table and rewrites it`
    : `-- change the type of ${name} in the ${relation} ${target} to ${type}`
}
