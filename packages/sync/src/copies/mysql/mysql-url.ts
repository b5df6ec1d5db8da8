// Parses the mysql:// or mariadb:// URL of a copy.

import { CopyError } from '../copy.ts'

/** The database of a copy, and the options of its connection. */
export interface MySqlAddress {
  /** The URL without its password and parameters, for messages. */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** Whether to encrypt the connection, and whether to verify the certificate of the server. */
  readonly tls: 'off' | 'require' | 'verify'
}

const DEFAULT_PORT = 3306
const USAGE = 'must be mysql://USER:PASSWORD@HOST:PORT/DATABASE, optionally with ?tls=require or ?tls=verify'

/**
 * Returns the address of a mysql:// or mariadb:// URL. Throws `CopyError` if the URL is invalid, has no host or
 * database, or has a parameter other than a valid `tls`. The message does not contain the password.
 */
export function parseMySqlUrl(text: string): MySqlAddress {
  if (!/^(?:mysql|mariadb):\/\//.test(text) || !URL.canParse(text)) throw new CopyError(`the MySQL URL ${USAGE}`)
  const url = new URL(text)
  const database = decode(url.pathname.slice(1))
  if (url.hostname === '' || database === '' || database.includes('/'))
    throw new CopyError(`the MySQL URL has no host or no database; it ${USAGE}`)
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'tls')
  if (unknown !== undefined) throw new CopyError(`the MySQL URL has the unknown parameter ${unknown}; it ${USAGE}`)
  const tls = url.searchParams.get('tls') ?? 'off'
  if (tls !== 'off' && tls !== 'require' && tls !== 'verify')
    throw new CopyError('the MySQL URL: tls must be off, require, or verify')
  const user = decode(url.username)
  return {
    name: `mysql://${user === '' ? '' : `${user}@`}${url.host}/${database}`,
    // A connection needs an IPv6 address without the brackets of the URL.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user,
    password: decode(url.password),
    database,
    tls,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new CopyError(`the MySQL URL has a % that is not an escape; write %25. It ${USAGE}`)
  }
}
