// Implements the tools of an assistant on a SQLite copy. A failed call returns SQLite's message and what to do, so that
// the assistant can correct its statement.

import { asOfText } from './as-of.ts'
import { customerText } from './customer-text.ts'
import { freshnessText } from './freshness-text.ts'
import type { ToolResult } from './mcp-server.ts'
import { orderText } from './order-text.ts'
import type { Query } from './query-process.ts'
import { type QueryRunner, QueryStoppedError } from './query-runner.ts'
import { boundedText, ROW_BYTES_MAX, tableText } from './result-text.ts'
import { schemaText } from './schema-text.ts'
import { SQL_CHARACTERS_MAX, type ToolName, toolDeclarations } from './tool-declarations.ts'
import { type ReadCopy, type Reading, ToolError, type ToolText } from './tool-text.ts'
import { personalColumns, visibleColumns } from './visible-columns.ts'

/** The copy that the tools read, and how they read it. */
export interface CopyToolsOptions {
  /** Path of the SQLite file. */
  readonly file: string
  /** Whether columns that identify a person are visible. */
  readonly withPersonalData: boolean
  readonly runner: QueryRunner
  /** Returns ms since 1970. */
  readonly now: () => number
}

/**
 * Calls a declared tool. The result begins with the time of the data, and is cut to `RESULT_BYTES_MAX`. `ToolError` and
 * `QueryStoppedError` become results without that time, because the assistant can act on them. Throws other errors.
 */
export async function callCopyTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: CopyToolsOptions,
): Promise<ToolResult> {
  try {
    const texts = parseArguments(name, args, options.withPersonalData)
    const { text, reading } = await TOOLS[name as ToolName](texts, (queries) => readCopy(queries, options), options)
    return { text: boundedText(`${asOfText(reading, options.now())}\n${text}`), isError: false }
  } catch (error) {
    if (error instanceof ToolError || error instanceof QueryStoppedError)
      return { text: boundedText(error.message), isError: true }
    throw error
  }
}

type Arguments = Readonly<Record<string, string>>

const TOOLS: Readonly<
  Record<ToolName, (args: Arguments, read: ReadCopy, options: CopyToolsOptions) => Promise<ToolText>>
> = {
  schema: async ({ table }, read, { withPersonalData }) => {
    const reading = await read([])
    return { text: schemaText(reading.readable, table ?? null, withPersonalData), reading }
  },
  query: async ({ sql = '' }, read) => {
    if (sql.length > SQL_CHARACTERS_MAX)
      throw new ToolError(`sql: must have at most ${SQL_CHARACTERS_MAX} characters; got ${sql.length}`)
    const reading = await read([{ sql }])
    return { text: reading.results.map(tableText).join('\n'), reading }
  },
  order: ({ id = '' }, read) => orderText(parseId(id), read),
  customer: ({ id, email }, read) => {
    if ((id === undefined) === (email === undefined)) throw new ToolError('customer: needs either id or email')
    return customerText(email === undefined ? { id: parseId(id ?? '') } : { email }, read)
  },
  freshness: (_args, read) => freshnessText(read),
}

/**
 * Returns the arguments, which are all strings, without nulls. Throws `ToolError` if a required argument is missing, or
 * if an argument is unknown or not a string.
 */
function parseArguments(name: string, args: Readonly<Record<string, unknown>>, withPersonalData: boolean): Arguments {
  const schema = toolDeclarations(withPersonalData).find((tool) => tool.name === name)?.inputSchema as {
    readonly properties: Readonly<Record<string, object>>
    readonly required?: readonly string[]
  }
  const names = Object.keys(schema.properties)
  const unknown = Object.keys(args).find((each) => !names.includes(each))
  if (unknown !== undefined)
    throw new ToolError(`${name}: has no argument ${JSON.stringify(unknown.slice(0, 40))}; ${argumentsText(names)}`)
  const missing = schema.required?.find((each) => args[each] === undefined)
  if (missing !== undefined) throw new ToolError(`${name}: needs the argument ${missing}`)
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null)
  const other = given.find(([, value]) => typeof value !== 'string')
  if (other !== undefined) throw new ToolError(`${other[0]}: must be a string`)
  return Object.fromEntries(given) as Arguments
}

function argumentsText(names: readonly string[]): string {
  return names.length === 0 ? 'it has no arguments' : `the arguments are ${names.join(', ')}`
}

function parseId(text: string): string {
  // The service sends IDs in lower case, and SQLite compares them as text.
  const id = text.trim().toLowerCase()
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id
  throw new ToolError(`id: must be a UUID; got ${JSON.stringify(text.slice(0, 60))}`)
}

async function readCopy(
  queries: readonly Query[],
  { file, withPersonalData, runner }: CopyToolsOptions,
): Promise<Reading> {
  const visible = withPersonalData ? null : visibleColumns()
  const response = await runner.run({ file, visible, queries, maxBytes: ROW_BYTES_MAX })
  if ('error' in response) throw new ToolError(explainError(response.error, withPersonalData))
  return response
}

/** Returns SQLite's message, and what to do for the errors that assistants cause most often. */
function explainError(message: string, withPersonalData: boolean): string {
  const [, column] = /no such column: (?:\S+\.)?"?(\w+)"?/.exec(message) ?? []
  const personal = personalColumns().filter((each) => each.endsWith(`.${column}`))
  if (column !== undefined && !withPersonalData && personal.length > 0)
    return `${message}. ${personal.join(' and ')} ${personal.length === 1 ? 'is' : 'are'} personal and hidden. The user can show personal columns by starting store-sync mcp with --with-personal-data.`
  if (/no such (?:column|table)/.test(message)) return `${message}. The tool schema lists tables and columns.`
  if (/not authorized|prohibited|readonly|cannot modify/.test(message))
    return `${message}. Only one select statement on the tables of the tool schema is allowed.`
  return message
}
