// Creates the copy that the prefix of `--to` names, such as `sqlite:FILE`. A destination URL with a password must be in
// an environment variable, because other users of the machine can see the command line.

import { type Copy, CopyError } from '../copies/copy.ts'
import type { CsvCopyOptions } from '../copies/files/csv-copy.ts'
import { CommandLineError } from './command-line-error.ts'
import { SINGER } from './create-singer-copy.ts'

/** A kind of destination that a prefix of `--to` names. */
interface DestinationKind {
  readonly prefix: string
  /** The syntax of `--to`, for messages and `--help`. */
  readonly usage: string
  readonly create: (path: string, csv: CsvCopyOptions) => Promise<Copy>
}

/**
 * Destinations that are a file or a folder. A run imports only the module of its kind, because the libraries of all
 * modules together would double the memory that a run uses.
 */
const DESTINATION_KINDS: readonly DestinationKind[] = [
  {
    prefix: 'sqlite:',
    usage: 'sqlite:FILE',
    create: async (file) => new (await import('../copies/sqlite/sqlite-copy.ts')).SqliteCopy(file),
  },
  {
    prefix: 'duckdb:',
    usage: 'duckdb:FILE',
    create: async (file) => (await import('../copies/duckdb/duckdb.ts')).duckDbCopy(file),
  },
  {
    prefix: 'csv:',
    usage: 'csv:DIR',
    create: async (folder, csv) => (await import('../copies/files/csv-copy.ts')).csvCopy(folder, csv),
  },
  {
    prefix: 'xlsx:',
    usage: 'xlsx:FILE',
    create: async (file) => (await import('../copies/files/xlsx-copy.ts')).xlsxCopy(file),
  },
  {
    prefix: 'parquet:',
    usage: 'parquet:DIR',
    create: async (folder) => (await import('../copies/files/parquet-copy.ts')).parquetCopy(folder),
  },
]

/** All kinds of destinations, for messages and `--help`. */
export const DESTINATIONS = [
  ...DESTINATION_KINDS.map(({ usage }) => usage),
  'postgres://…?schema=NAME',
  'mysql://…/DATABASE',
  SINGER,
  'env:NAME',
].join(', ')

/**
 * Returns the copy for the value of `--to`, without opening it. `env:NAME` reads the value from a variable. Throws
 * `CommandLineError` for an unknown or invalid destination, `singer`, an unset variable, a password on the command
 * line, and CSV options for another destination.
 */
export async function createCopy(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  csv: CsvCopyOptions = {},
): Promise<Copy> {
  if (text === SINGER)
    throw new CommandLineError('--to singer: cannot be read; compare the database of the target with the store')
  if (text.startsWith('env:')) return parseDestination(readVariable(text.slice('env:'.length), env), csv, text)
  // A password stands before the `@`, or in the parameter `password`.
  if (/^(?:postgres(?:ql)?|mysql|mariadb):\/\/(?:[^@/]*:[^@/]*@|.*[?&]password=)/.test(text))
    throw new CommandLineError(
      '--to: other users of this machine can see a password on the command line; put the URL in a variable and use env:NAME',
    )
  return parseDestination(text, csv, null)
}

/**
 * Returns the copy for a destination. `variable` is the `env:NAME` that `text` comes from; null for `--to` itself. No
 * message shows a variable's value.
 */
async function parseDestination(text: string, csv: CsvCopyOptions, variable: string | null): Promise<Copy> {
  const kind = DESTINATION_KINDS.find(({ prefix }) => text.startsWith(prefix) && text.length > prefix.length)
  if (Object.keys(csv).length > 0 && kind?.prefix !== 'csv:')
    throw new CommandLineError('--csv-delimiter and --csv-no-apostrophe: can only be used with --to csv:DIR')
  if (kind !== undefined) return kind.create(rejectTilde(text.slice(kind.prefix.length)), csv)
  if (/^postgres(?:ql)?:\/\//.test(text)) return createPostgresCopy(text)
  if (/^(?:mysql|mariadb):\/\//.test(text)) return createMySqlCopy(text)
  if (variable !== null)
    throw new CommandLineError(`--to ${variable}: the variable must contain one of ${DESTINATIONS}`)
  // Shows only the scheme: the rest may contain a password.
  const [scheme] = /^[a-z]{1,20}:/.exec(text) ?? []
  const got = scheme === undefined ? '' : `; got "${scheme}…"`
  throw new CommandLineError(`--to: must be one of ${DESTINATIONS}${got}`)
}

/**
 * Returns `path`. Throws `CommandLineError` if it is `~` or starts with `~/` or `~user/`, because the shell does not
 * expand `~` after a prefix such as `sqlite:`.
 */
function rejectTilde(path: string): string {
  if (/^~(?:$|[^/\\]*[/\\])/.test(path))
    throw new CommandLineError('--to: the shell does not expand ~ here; write the full path or use "$HOME"')
  return path
}

/** Returns the copy for a postgres:// URL. Removes `schema` from it, because the server rejects unknown parameters. */
async function createPostgresCopy(text: string): Promise<Copy> {
  if (!URL.canParse(text)) throw new CommandLineError('--to: must be a valid postgres:// URL')
  const url = new URL(text)
  const schema = url.searchParams.get('schema')
  url.searchParams.delete('schema')
  const { PostgresCopy } = await import('../copies/postgres/postgres-copy.ts')
  return new PostgresCopy({ url: url.href, ...(schema === null ? {} : { schema }) })
}

/** Returns the copy for a mysql:// URL. An error of the URL becomes a `CommandLineError`. */
async function createMySqlCopy(text: string): Promise<Copy> {
  const { mySqlCopy } = await import('../copies/mysql/mysql.ts')
  try {
    return mySqlCopy(text)
  } catch (error) {
    if (error instanceof CopyError) throw new CommandLineError(`--to: ${error.message}`)
    throw error
  }
}

/** Returns the trimmed value of a variable. Throws `CommandLineError` if it is not set or empty. */
function readVariable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const text = env[name]?.trim() ?? ''
  if (text === '') throw new CommandLineError(`--to env:${name}: the variable ${name} is not set`)
  return text
}
