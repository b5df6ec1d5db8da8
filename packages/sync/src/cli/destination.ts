// What `--to` says becomes a copy. A destination that holds a password is given by the name of a variable.

import type { Copy } from '../copies/copy.ts'
import { csvCopy } from '../copies/csv.ts'
import { PostgresCopy } from '../copies/postgres.ts'
import { SqliteCopy } from '../copies/sqlite.ts'
import { xlsxCopy } from '../copies/xlsx.ts'

/** A word of the command line that is not accepted; the message names it and what is. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem'
}

/** Each kind of destination: how it is written, and what it makes. */
const KINDS: readonly { readonly prefix: string; readonly shown: string; readonly make: (rest: string) => Copy }[] = [
  { prefix: 'sqlite:', shown: 'sqlite:FILE', make: (file) => new SqliteCopy(file) },
  { prefix: 'csv:', shown: 'csv:DIR', make: csvCopy },
  { prefix: 'xlsx:', shown: 'xlsx:FILE', make: (file) => xlsxCopy(file) },
]

/** Every way to write a destination, for messages. */
export const DESTINATIONS = [...KINDS.map(({ shown }) => shown), 'postgres://…?schema=NAME', 'env:NAME'].join(', ')

/** The copy that `text` names; `env:NAME` takes the text from a variable. Throws `UsageProblem`. */
export function copyOf(text: string, env: Readonly<Record<string, string | undefined>>): Copy {
  if (text.startsWith('env:')) return madeOf(fromVariable(text.slice('env:'.length), env))
  // other users of the machine, and the history of the shell, see the command line
  if (/^postgres(?:ql)?:\/\/(?:[^@/]*:[^@/]*@|.*[?&]password=)/.test(text))
    throw new UsageProblem(
      '--to: a password on the command line is seen by others: put the URL into a variable, and give env:NAME',
    )
  return madeOf(text)
}

function madeOf(text: string): Copy {
  const kind = KINDS.find(({ prefix }) => text.startsWith(prefix) && text.length > prefix.length)
  if (kind !== undefined) return kind.make(text.slice(kind.prefix.length))
  if (/^postgres(?:ql)?:\/\//.test(text)) return postgresCopy(text)
  // what it is may hold a password
  throw new UsageProblem(
    `--to: must be one of ${DESTINATIONS}; got ${JSON.stringify(text.split(':', 1)[0]?.slice(0, 20))}:…`,
  )
}

/** The schema is ours to know: the server would refuse it. */
function postgresCopy(text: string): Copy {
  if (!URL.canParse(text)) throw new UsageProblem('--to: is no postgres:// URL')
  const url = new URL(text)
  const schema = url.searchParams.get('schema')
  url.searchParams.delete('schema')
  return new PostgresCopy({ url: url.href, ...(schema === null ? {} : { schema }) })
}

function fromVariable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const text = env[name]?.trim() ?? ''
  if (text === '') throw new UsageProblem(`--to env:${name}: the variable ${name} is not set`)
  return text
}
