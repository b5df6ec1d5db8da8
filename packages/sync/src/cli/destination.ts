// What `--to` says becomes a copy. A destination that holds a password is given by the name of a variable.

import type { Copy } from '../copies/copy.ts'
import type { CsvOptions } from '../copies/files/csv.ts'
import { UsageProblem } from './usage.ts'

/** A kind of destination: how it is written, and what it makes. */
interface Kind {
  readonly prefix: string
  readonly shown: string
  readonly make: (rest: string, csv: CsvOptions) => Promise<Copy>
}

/** Each is loaded only where it is wanted: the libraries of all of them would take as much memory as a run does. */
const KINDS: readonly Kind[] = [
  {
    prefix: 'sqlite:',
    shown: 'sqlite:FILE',
    make: async (file) => new (await import('../copies/sqlite/sqlite.ts')).SqliteCopy(file),
  },
  {
    prefix: 'csv:',
    shown: 'csv:DIR',
    make: async (folder, csv) => (await import('../copies/files/csv.ts')).csvCopy(folder, csv),
  },
  {
    prefix: 'xlsx:',
    shown: 'xlsx:FILE',
    make: async (file) => (await import('../copies/files/xlsx.ts')).xlsxCopy(file),
  },
  {
    prefix: 'parquet:',
    shown: 'parquet:DIR',
    make: async (folder) => (await import('../copies/files/parquet.ts')).parquetCopy(folder),
  },
]

/** Every way to write a destination, for messages. */
export const DESTINATIONS = [...KINDS.map(({ shown }) => shown), 'postgres://…?schema=NAME', 'env:NAME'].join(', ')

/** The copy that `text` names; `env:NAME` takes the text from a variable. Throws `UsageProblem`. */
export async function copyOf(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  csv: CsvOptions = {},
): Promise<Copy> {
  if (text.startsWith('env:'))
    return madeOf(fromVariable(text.slice('env:'.length), env), { held: `${text}: what it holds`, csv })
  // other users of the machine, and the history of the shell, see the command line
  if (/^postgres(?:ql)?:\/\/(?:[^@/]*:[^@/]*@|.*[?&]password=)/.test(text))
    throw new UsageProblem(
      '--to: a password on the command line is seen by others: put the URL into a variable, and give env:NAME',
    )
  return madeOf(text, { held: '', csv })
}

/** `held` is said of a text that a variable holds, and that is not shown; it is empty for one that was typed. */
async function madeOf(text: string, { held, csv }: { held: string; csv: CsvOptions }): Promise<Copy> {
  const kind = KINDS.find(({ prefix }) => text.startsWith(prefix) && text.length > prefix.length)
  if (Object.keys(csv).length > 0 && kind?.prefix !== 'csv:')
    throw new UsageProblem('--csv-delimiter and --csv-no-apostrophe: are for --to csv:DIR alone')
  if (kind !== undefined) return kind.make(pathOf(text.slice(kind.prefix.length)), csv)
  if (/^postgres(?:ql)?:\/\//.test(text)) return postgresCopy(text)
  if (held !== '') throw new UsageProblem(`--to ${held} must be one of ${DESTINATIONS}`)
  // what follows may be a password
  const [got] = /^[a-z]{1,20}:/.exec(text) ?? []
  throw new UsageProblem(`--to: must be one of ${DESTINATIONS}${got === undefined ? '' : `; got "${got}…"`}`)
}

/** A folder whose name is ~ is never meant. */
function pathOf(text: string): string {
  if (/^~(?:$|[^/\\]*[/\\])/.test(text))
    throw new UsageProblem('--to: the shell does not expand ~ there: write the whole path, or "$HOME" for it')
  return text
}

/** The schema is ours to know: the server would refuse it. */
async function postgresCopy(text: string): Promise<Copy> {
  if (!URL.canParse(text)) throw new UsageProblem('--to: is no postgres:// URL')
  const url = new URL(text)
  const schema = url.searchParams.get('schema')
  url.searchParams.delete('schema')
  const { PostgresCopy } = await import('../copies/postgres/postgres.ts')
  return new PostgresCopy({ url: url.href, ...(schema === null ? {} : { schema }) })
}

function fromVariable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const text = env[name]?.trim() ?? ''
  if (text === '') throw new UsageProblem(`--to env:${name}: the variable ${name} is not set`)
  return text
}
