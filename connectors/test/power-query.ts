// Evaluates the function of connectors/power-query, as a query of Excel or Power BI does.

import { type CopyColumn, TABLES } from '../../packages/sync/src/tables.ts'
import { evaluateM, parseM } from './m-interpreter.ts'
import { type Journal, library } from './m-library.ts'
import { Currency, DateTime, Lazy, TableValue, type Value } from './m-values.ts'

export interface LoadedTable {
  /** All rows in their order, as the service returns them. */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly types: ReadonlyMap<string, string>
}

/** The function with the parameter StoreExportKey. */
export interface Query extends Journal {
  /** The first arguments of `Web.Contents`. Power BI only refreshes a query whose addresses are literals. */
  readonly baseAddresses: readonly string[]
  /** Loads a table. `filters` is an expression that can refer to `range`. */
  load(table: string, filters?: string, range?: Readonly<Record<string, Date>>): Promise<LoadedTable>
}

/** Parses the function. Queries read with this key. */
export async function openQuery(code: string, key: string): Promise<Query> {
  const journal: Journal = { requests: [], waitedSeconds: [] }
  const names = library(journal).set('StoreExportKey', Lazy.of(key))
  const storeExport = new Lazy(() => evaluateM(code, names))
  return {
    ...journal,
    baseAddresses: literalAddresses(await parseM(code)),
    async load(table, filters, range = {}) {
      const values = Object.entries(range).map(([name, date]) => [name, datetime(date)] as const)
      const scope = new Map([...names, ['StoreExport', storeExport] as const, ...values])
      const second = filters === undefined ? '' : `, ${filters}`
      return rowsOf(await evaluateM(`StoreExport("${table}"${second})`, scope), table)
    },
  }
}

function datetime(date: Date): Lazy {
  return Lazy.of(new DateTime(date.toISOString(), false))
}

// biome-ignore lint/suspicious/noExplicitAny: the parser is loaded without its types
function literalAddresses(tree: any): string[] {
  const declared = new Map<string, string>()
  const found: string[] = []
  visit(tree, (node) => {
    if (node.kind === 'IdentifierPairedExpression' && node.value.literalKind === 'Text')
      declared.set(node.key.literal, node.value.literal.slice(1, -1))
    if (node.kind !== 'RecursivePrimaryExpression' || node.head.identifier?.literal !== 'Web.Contents') return
    const [invoked] = node.recursiveExpressions.elements
    const [{ node: address }] = invoked.content.elements
    found.push(declared.get(address.identifier?.literal) ?? 'not a literal')
  })
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: the parser is loaded without its types
function visit(node: any, seen: (node: any) => void): void {
  if (typeof node !== 'object' || node === null) return
  if ('kind' in node) seen(node)
  for (const each of Object.values(node)) visit(each, seen)
}

function rowsOf(value: Value, table: string): LoadedTable {
  if (!(value instanceof TableValue)) throw new Error('the query does not return a table')
  const columns = columnsOf(table)
  const names = [...value.type.columns.keys()]
  if (names.join() !== columns.map(({ name }) => name).join()) throw new Error(`the columns of ${table} differ`)
  const rows = value.rows.map((cells) =>
    Object.fromEntries(columns.map((column, place) => [column.name, servedValue(cells[place] ?? null, column)])),
  )
  return { rows, types: value.type.columns }
}

function columnsOf(table: string): readonly CopyColumn[] {
  const found = TABLES.flatMap((each) => [each, ...each.children]).find(({ name }) => name === table)
  if (found === undefined) throw new Error(`no table ${table}`)
  return found.columns
}

function servedValue(cell: Value, { isMoney }: CopyColumn): unknown {
  if (cell instanceof Currency) return cell.text
  if (cell instanceof DateTime) return cell.iso
  if (isMoney && typeof cell === 'number') return cell.toFixed(2)
  return cell
}
