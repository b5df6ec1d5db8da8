// Parses a PostgreSQL connection URL as libpq does, so that a URL for psql works here. Reads no file and no environment
// variable.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING

/** A server to try: a TCP address, or the path of a Unix socket. */
export type DatabaseHost =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** How a connection is protected, in libpq's terms. Unix sockets never use TLS. */
export interface TlsSettings {
  /** Whether to use TLS, and which certificates to accept, from `sslmode`. */
  readonly mode: Exclude<(typeof TLS_MODES)[number], 'allow'>
  /** File with the accepted CAs, `system` for the system's CAs, or null for the CAs of Node.js. */
  readonly rootCertificate: string | null
  /** File with the client's certificate; null for none. */
  readonly certificate: string | null
  /** File with the private key of the client's certificate; null for none. */
  readonly key: string | null
  /** Whether TLS starts with the first byte (PostgreSQL 17), without a request in clear text. */
  readonly direct: boolean
}

/** The parts of a connection URL, decoded and with libpq's defaults. */
export interface ConnectionTarget {
  readonly hosts: readonly DatabaseHost[]
  /** Name of the role; null for the user of the operating system, as in libpq. */
  readonly user: string | null
  readonly password: string | null
  /** Name of the database; null for the database with the user's name. */
  readonly database: string | null
  readonly tls: TlsSettings
  /** The kind of server to select among the hosts. Null accepts the first host that responds. */
  readonly sessionAttributes: (typeof SESSION_ATTRIBUTES)[keyof typeof SESSION_ATTRIBUTES]
  /** `connect_timeout` of the URL, at least 2; null if it is absent or 0. */
  readonly connectTimeoutSeconds: number | null
  /** When SCRAM is bound to the TLS channel: never, if the server offers it (`prefer`), or always. */
  readonly channelBinding: (typeof CHANNEL_BINDINGS)[number]
  /** Parameters for the server's session: `application_name` and `options`. */
  readonly startup: Readonly<Record<string, string>>
}

/**
 * Thrown for a connection URL that can't be used. The message quotes nothing from the URL: any part of it can belong to
 * a password that is not percent-encoded.
 */
export class InvalidUrlError extends Error {
  override readonly name = 'InvalidUrlError'
}

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
/**
 * The kind of server for each value of `target_session_attrs`. In libpq, `read-write` and `read-only` depend on whether
 * the session may write. For a role that is read-only by default, no server would be `read-write`. Here, both values
 * depend on whether the server is a primary or a standby.
 */
const SESSION_ATTRIBUTES = {
  any: null,
  'read-write': 'primary',
  'read-only': 'standby',
  primary: 'primary',
  standby: 'standby',
  'prefer-standby': 'prefer-standby',
} as const
/** Values of `ssl` that mean `sslmode=require`. */
const SSL_ON = ['true', '1', 'on'] as const
/** Values of `ssl` that leave `sslmode` at its default. */
const SSL_OFF = ['false', '0', 'off'] as const
const NEGOTIATIONS = ['postgres', 'direct'] as const
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const
const PORT_DEFAULT = 5432
const HOSTS_MAX = 16

const ACCEPTED =
  'host, port, dbname, user, password, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation, connect_timeout, ' +
  'target_session_attrs, application_name, options, channel_binding'
/**
 * Parameters that the error message doesn't list: `ssl`, which other clients use, and parameters of psql and of cloud
 * services that have no effect here.
 */
const ALSO_ACCEPTED =
  'ssl, gssencmode, keepalives, keepalives_idle, keepalives_interval, keepalives_count, load_balance_hosts, ' +
  'sslcompression, sslsni'
const NAMES: ReadonlySet<string> = new Set(`${ACCEPTED}, ${ALSO_ACCEPTED}`.split(', '))

/**
 * Unlike libpq, this pattern accepts no @ in the name of the database. In a URL whose password contains a / that is not
 * escaped, parts of the password would be read as the port and the database.
 */
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^#]*))?$/i

/** Returns the decoded value of a parameter; null if it is absent or empty. */
type Read = (name: string) => string | null

/**
 * Returns the parts of the URL, decoded. Throws `InvalidUrlError` for a malformed URL, an unknown parameter, an invalid
 * value, and more than 16 hosts. The message says what is accepted.
 */
export function parseConnectionUrl(url: string): ConnectionTarget {
  const match = SHAPE.exec(url.trim())
  if (match === null)
    throw new InvalidUrlError(
      'a connection URL is postgres://user:password@host:port/database?sslmode=verify-full; ' +
        'in user, password, and database write @ / ? # as %40 %2F %3F %23',
    )
  const [, login = '', authority = '', path = '', query = ''] = match
  const [user, password] = splitOnce(login, ':')
  const parameters = readParameters(query)
  const read: Read = (name) => decode(parameters.get(name) ?? null, name)
  return {
    hosts: readHosts(parameters.get('host') ?? authority, parameters.get('port') ?? portsOf(authority)),
    user: decode(parameters.get('user') ?? user, 'user'),
    password: decode(parameters.get('password') ?? password, 'password'),
    database: decode(parameters.get('dbname') ?? path, 'database name'),
    tls: readTls(read),
    sessionAttributes: SESSION_ATTRIBUTES[oneOf('target_session_attrs', read, keysOf(SESSION_ATTRIBUTES)) ?? 'any'],
    connectTimeoutSeconds: readSeconds(read('connect_timeout')),
    channelBinding: oneOf('channel_binding', read, CHANNEL_BINDINGS) ?? 'prefer',
    startup: Object.fromEntries(
      ['application_name', 'options'].flatMap((name) => {
        const value = read(name)
        return value === null ? [] : [[name, value]]
      }),
    ),
  }
}

/** Returns the URL without its password, and the decoded password; null if there is none. Throws `InvalidUrlError`. */
export function splitPassword(url: string): { url: string; password: string | null } {
  const { password } = parseConnectionUrl(url)
  const [head, query] = splitOnce(url, '?')
  const others = (query ?? '').split('&').filter((part) => part !== '' && nameOf(part) !== 'password')
  const bare = head.replace(/^([^:]+:\/\/)([^/?#:]*):[^/?#]*@([^@/?#]*)/, '$1$2@$3')
  return { url: others.length === 0 ? bare : `${bare}?${others.join('&')}`, password }
}

/** Returns the URL with its password replaced by this one; unchanged for null. Throws `InvalidUrlError`. */
export function withPassword(url: string, password: string | null): string {
  if (password === null) return url
  const bare = splitPassword(url).url
  return `${bare}${bare.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`
}

/**
 * Returns the URL with these hosts (`host:port`, separated by commas) in place of its own; null if the URL names its
 * hosts in parameters. Throws `InvalidUrlError`, also if `hosts` is not a list of hosts.
 */
export function withHosts(url: string, hosts: string): string | null {
  const [head, query] = splitOnce(url.trim(), '?')
  if ([...readParameters(query ?? '').keys()].some((name) => name === 'host' || name === 'port')) return null
  if (/[@/?#\s]/.test(hosts)) throw new InvalidUrlError('hosts: must be host:port, separated by commas')
  const changed = head.replace(/^([^:]+:\/\/(?:[^/?#]*@)?)[^@/?#]*/, (_, start: string) => start + hosts)
  const moved = query === null ? changed : `${changed}?${query}`
  parseConnectionUrl(moved)
  return moved
}

/** Returns the servers of a target as one string, in a fixed order. Stores with equal strings share a server. */
export function serverOf({ hosts }: ConnectionTarget): string {
  return hosts.map(hostText).toSorted().join(',')
}

/** Returns the servers of a URL like `serverOf`; null for null, and for a URL that can't be parsed. */
export function serverOfUrl(url: string | null): string | null {
  try {
    return url === null ? null : serverOf(parseConnectionUrl(url))
  } catch {
    return null
  }
}

/** Returns the host for messages, as `host:port` or as the path of a Unix socket. */
export function hostText(host: DatabaseHost): string {
  return host.kind === 'unix' ? host.path : `${host.host.toLowerCase()}:${host.port}`
}

type TlsDescription = 'local socket' | 'off' | 'when offered' | 'encrypted' | 'verified'

/**
 * Returns the protection of connections to this target, for `doctor` and for the messages at the start of the service.
 */
export function describeTls({ hosts, tls: { mode } }: ConnectionTarget): TlsDescription {
  if (hosts.every(({ kind }) => kind === 'unix')) return 'local socket'
  if (mode === 'disable') return 'off'
  if (mode === 'prefer') return 'when offered'
  return mode === 'require' ? 'encrypted' : 'verified'
}

/**
 * Returns the parameters by name. The values are still encoded, because `parseConnectionUrl` decodes each part once.
 */
function readParameters(query: string): Map<string, string> {
  const parts = query.split('&').filter((part) => part !== '')
  return new Map(
    parts.map((part, index) => {
      const name = nameOf(part)
      if (NAMES.has(name)) return [name, splitOnce(part, '=')[1] ?? '']
      throw new InvalidUrlError(
        `parameter ${index + 1} of the connection URL is unknown; accepted: ${ACCEPTED}; ` +
          'in a password write ? and & as %3F and %26',
      )
    }),
  )
}

/** Returns the name in `name=value`. Like the value, a name can be percent-encoded. */
function nameOf(part: string): string {
  return (decode(splitOnce(part, '=')[0], 'parameter') ?? '').toLowerCase()
}

/**
 * Returns the hosts. A host without an entry in `ports` gets the first port: as in libpq, one port is for all hosts.
 */
function readHosts(authority: string, ports: string | null): DatabaseHost[] {
  const names = authority.split(',')
  const portList = ports?.split(',') ?? []
  if (names.length > HOSTS_MAX) throw new InvalidUrlError(`the connection URL has more than ${HOSTS_MAX} hosts`)
  return names.map((name, index) => readHost(decode(name, 'host') ?? '', portList[index] ?? portList[0] ?? ''))
}

/**
 * Returns the ports of the hosts, separated by commas; null without ports. As in libpq, the parameter `host` doesn't
 * replace them.
 */
function portsOf(authority: string): string | null {
  const ports = authority.split(',').map((name) => /:(\d+)$/.exec(name)?.[1] ?? '')
  return ports.every((port) => port === '') ? null : ports.join()
}

function readHost(name: string, portOfList: string): DatabaseHost {
  if (name.startsWith('/')) return { kind: 'unix', path: `${name}/.s.PGSQL.${readPort(portOfList)}` }
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(name) ?? []
  return { kind: 'tcp', host: bracketed ?? (plain === '' ? 'localhost' : plain), port: readPort(port ?? portOfList) }
}

function readPort(digits: string): number {
  if (digits === '') return PORT_DEFAULT
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new InvalidUrlError('the port of a connection URL must be a whole number from 1 to 65535')
}

function readTls(read: Read): TlsSettings {
  const rootCertificate = read('sslrootcert')
  const ssl = oneOf('ssl', read, [...SSL_ON, ...SSL_OFF])
  const ofSsl = SSL_ON.some((word) => word === ssl) ? 'require' : null
  return {
    mode: effectiveMode(oneOf('sslmode', read, TLS_MODES) ?? ofSsl, rootCertificate),
    rootCertificate,
    certificate: read('sslcert'),
    key: read('sslkey'),
    direct: oneOf('sslnegotiation', read, NEGOTIATIONS) === 'direct',
  }
}

/**
 * Returns the mode that applies. As in libpq, `sslrootcert=system` demands verify-full, and `require` with a file
 * verifies the CA. With `allow`, libpq connects without TLS, and again with TLS if the server refuses. Here, `allow` is
 * the same as `prefer`, which also connects to servers with and without TLS.
 */
function effectiveMode(stated: (typeof TLS_MODES)[number] | null, rootCertificate: string | null): TlsSettings['mode'] {
  if (rootCertificate !== 'system') {
    if (stated === 'require' && rootCertificate !== null) return 'verify-ca'
    return stated === null || stated === 'allow' ? 'prefer' : stated
  }
  if (stated === null || stated === 'verify-full') return 'verify-full'
  throw new InvalidUrlError(`sslrootcert=system needs sslmode=verify-full; got sslmode=${stated}`)
}

function readSeconds(value: string | null): number | null {
  if (value === null || value === '0') return null
  // libpq reads 1 as 2.
  if (/^\d{1,4}$/.test(value)) return Math.max(2, Number(value))
  throw new InvalidUrlError('connect_timeout must be a whole number of seconds from 0 to 9999')
}

/**
 * Returns the value without percent-encoding; null if it is absent or empty. Throws `InvalidUrlError` for an invalid
 * encoding, and for a NUL character.
 */
function decode(value: string | null, what: string): string | null {
  const decoded = decodePercent(value ?? '', what)
  // The protocol of PostgreSQL ends strings with NUL.
  if (decoded.includes('\0')) throw new InvalidUrlError(`the ${what} of the connection URL has a NUL character`)
  return decoded || null
}

function decodePercent(value: string, what: string): string {
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    throw new InvalidUrlError(`the ${what} of the connection URL has a % that must be written %25`, { cause })
  }
}

function oneOf<const T extends string>(name: string, read: Read, accepted: readonly T[]): T | null {
  const value = read(name)
  const found = value === null ? null : accepted.find((word) => word === value)
  if (found !== undefined) return found
  throw new InvalidUrlError(`${name} in the connection URL must be one of ${accepted.join(', ')}`)
}

function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[]
}

function splitOnce(value: string, separator: string): [string, string | null] {
  const at = value.indexOf(separator)
  return at === -1 ? [value, null] : [value.slice(0, at), value.slice(at + separator.length)]
}
