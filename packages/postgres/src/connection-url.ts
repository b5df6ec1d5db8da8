// Reads a PostgreSQL connection URL as libpq does, so that a URL which works in psql works here.
// Pure: no connection, no file, no environment. connect.ts opens the connection.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING

/** One server to try: a TCP address, or the path of a Unix socket. */
export type DatabaseHost =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** How a connection is protected; the words are libpq's. Unix sockets never use TLS. */
export interface TlsSettings {
  readonly mode: (typeof TLS_MODES)[number]
  /** File with the accepted authorities, 'system' for the system's own, null for those Node carries. */
  readonly rootCertificate: string | null
  readonly certificate: string | null
  readonly key: string | null
  /** TLS from the first byte on (PostgreSQL 17) in place of the question in the clear. */
  readonly direct: boolean
}

/** Everything a connection URL says. */
export interface ConnectionTarget {
  readonly hosts: readonly DatabaseHost[]
  readonly user: string | null
  readonly password: string | null
  readonly database: string | null
  readonly tls: TlsSettings
  /** Which of several servers fit; null takes the first that answers. */
  readonly sessionAttributes: 'primary' | 'standby' | 'prefer-standby' | null
  readonly connectTimeoutSeconds: number | null
  /** Whether SCRAM is bound to the TLS channel: if the server offers it (`prefer`), or always. */
  readonly channelBinding: (typeof CHANNEL_BINDINGS)[number]
  /** Parameters for the server's session: `application_name`, `options`. */
  readonly startup: Readonly<Record<string, string>>
}

/** A connection URL that cannot be used. The message quotes no part that may hold a password. */
export class ConnectionUrlProblem extends Error {
  override readonly name = 'ConnectionUrlProblem'
}

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
/**
 * The kind of server for each value of libpq. There, `read-write` and `read-only` depend on the session: with the
 * reader's role, which is read-only by default, no server would be `read-write`. Here they depend on the server.
 */
const SESSION_ATTRIBUTES = {
  any: null,
  'read-write': 'primary',
  'read-only': 'standby',
  primary: 'primary',
  standby: 'standby',
  'prefer-standby': 'prefer-standby',
} as const
const SESSION_ATTRIBUTE_NAMES = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const
const PORT_DEFAULT = 5432
const HOSTS_MAX = 16

/** Parameters with no effect here, accepted because URLs of psql and of cloud services carry them. */
const WITHOUT_EFFECT = new Set([
  'gssencmode',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'load_balance_hosts',
  'sslcompression',
  'sslsni',
])
const WITH_EFFECT = [
  'host',
  'port',
  'dbname',
  'user',
  'password',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'connect_timeout',
  'target_session_attrs',
  'application_name',
  'options',
  'channel_binding',
]

const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i

/** What the URL says, or throws `ConnectionUrlProblem` with a sentence that says what is accepted. */
export function parseConnectionUrl(url: string): ConnectionTarget {
  const { login, authority, path, parameters } = take(url)
  const [user, password] = splitOnce(login, ':')
  return {
    hosts: readHosts(parameters.get('host') ?? authority, parameters.get('port') ?? portsOf(authority)),
    user: decode(parameters.get('user') ?? user, 'user'),
    password: decode(parameters.get('password') ?? password, 'password'),
    database: decode(parameters.get('dbname') ?? path, 'database name'),
    tls: readTls(parameters),
    sessionAttributes: readSessionAttributes(parameters),
    connectTimeoutSeconds: readSeconds(parameters.get('connect_timeout') ?? null),
    channelBinding: oneOf('channel_binding', text(parameters, 'channel_binding') ?? 'prefer', CHANNEL_BINDINGS),
    startup: readStartup(parameters),
  }
}

/** The URL without its password, and the password (null when it has none). Throws on a URL that cannot be used. */
export function splitPassword(url: string): { url: string; password: string | null } {
  const { password } = parseConnectionUrl(url)
  const [head, query] = splitOnce(url, '?')
  const kept = (query ?? '').split('&').filter((part) => part !== '' && !/^password=/i.test(part))
  const bare = head.replace(/^([^:]+:\/\/)([^/?#:]*):[^/?#]*@([^@/?#]*)/, '$1$2@$3')
  return { url: kept.length === 0 ? bare : `${bare}?${kept.join('&')}`, password }
}

/** The URL with this password as its own; for null the URL as it is. */
export function withPassword(url: string, password: string | null): string {
  if (password === null) {
    return url
  }
  const bare = splitPassword(url).url
  return `${bare}${bare.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`
}

/** The servers of a target as one text, the same for every order of its hosts: stores with one such text share a server. */
export function serverOf({ hosts }: ConnectionTarget): string {
  return hosts.map(hostText).toSorted().join(',')
}

/** The host for messages. */
export function hostText(host: DatabaseHost): string {
  return host.kind === 'unix' ? host.path : `${host.host.toLowerCase()}:${host.port}`
}

/** What protects a connection to this target, for people: `doctor` and start-up messages. */
export function describeTls(
  target: ConnectionTarget,
): 'local socket' | 'off' | 'when offered' | 'encrypted' | 'verified' {
  if (target.hosts.every((host) => host.kind === 'unix')) {
    return 'local socket'
  }
  switch (target.tls.mode) {
    case 'disable':
      return 'off'
    case 'allow':
    case 'prefer':
      return 'when offered'
    case 'require':
      return 'encrypted'
    default:
      return 'verified'
  }
}

function take(url: string): { login: string; authority: string; path: string; parameters: Map<string, string> } {
  const match = SHAPE.exec(url.trim())
  if (match === null) {
    throw new ConnectionUrlProblem(
      'a connection URL is postgres://user:password@host:port/database?sslmode=verify-full; ' +
        'in user and password write @ / ? # as %40 %2F %3F %23',
    )
  }
  const [, login = '', authority = '', path = '', query = ''] = match
  return { login, authority, path, parameters: readParameters(query) }
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [rawName, rawValue] = splitOnce(part, '=')
    const name = (decode(rawName, 'parameter') ?? '').toLowerCase()
    if (!WITH_EFFECT.includes(name) && !WITHOUT_EFFECT.has(name) && name !== 'ssl') {
      throw new ConnectionUrlProblem(
        `the connection URL has an unknown parameter "${name.slice(0, 40)}"; accepted: ${WITH_EFFECT.join(', ')}`,
      )
    }
    // User, password and names stay encoded here: parseConnectionUrl decodes every part once.
    parameters.set(name, rawValue ?? '')
  }
  return parameters
}

function readHosts(authority: string, ports: string | null): DatabaseHost[] {
  const names = authority.split(',')
  const portList = ports?.split(',') ?? []
  if (names.length > HOSTS_MAX) {
    throw new ConnectionUrlProblem(`the connection URL has more than ${HOSTS_MAX} hosts`)
  }
  return names.map((text, index) => readHost(decode(text, 'host') ?? '', portList[index] ?? portList[0] ?? null))
}

/** As libpq does, a parameter `host` replaces the host and keeps the port. */
function portsOf(authority: string): string | null {
  const ports = authority.split(',').map((text) => /:(\d+)$/.exec(text)?.[1] ?? '')
  return ports.every((port) => port === '') ? null : ports.join()
}

function readHost(text: string, portOfList: string | null): DatabaseHost {
  if (text.startsWith('/')) {
    return { kind: 'unix', path: `${text}/.s.PGSQL.${readPort(portOfList)}` }
  }
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? []
  return { kind: 'tcp', host: bracketed ?? (plain === '' ? 'localhost' : plain), port: readPort(port ?? portOfList) }
}

function readPort(text: string | null): number {
  if (text === null || text === '') {
    return PORT_DEFAULT
  }
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) {
    throw new ConnectionUrlProblem('the port of a connection URL must be a whole number from 1 to 65535')
  }
  return port
}

function readTls(parameters: ReadonlyMap<string, string>): TlsSettings {
  const rootCertificate = text(parameters, 'sslrootcert')
  const word = text(parameters, 'sslmode') ?? (isOn(text(parameters, 'ssl')) ? 'require' : null)
  const stated = word === null ? null : oneOf('sslmode', word, TLS_MODES)
  return {
    mode: effectiveMode(stated, rootCertificate),
    rootCertificate,
    certificate: text(parameters, 'sslcert'),
    key: text(parameters, 'sslkey'),
    direct: text(parameters, 'sslnegotiation') === 'direct',
  }
}

/** libpq: `system` authorities demand verify-full; `require` with authorities of one's own verifies them. */
function effectiveMode(stated: TlsSettings['mode'] | null, rootCertificate: string | null): TlsSettings['mode'] {
  if (rootCertificate === 'system') {
    if (stated !== null && stated !== 'verify-full') {
      throw new ConnectionUrlProblem(`sslrootcert=system needs sslmode=verify-full; got sslmode=${stated}`)
    }
    return 'verify-full'
  }
  return stated === 'require' && rootCertificate !== null ? 'verify-ca' : (stated ?? 'prefer')
}

function readSessionAttributes(parameters: ReadonlyMap<string, string>): ConnectionTarget['sessionAttributes'] {
  const word = text(parameters, 'target_session_attrs') ?? 'any'
  return SESSION_ATTRIBUTES[oneOf('target_session_attrs', word, SESSION_ATTRIBUTE_NAMES)]
}

function readSeconds(value: string | null): number | null {
  if (value === null || value === '' || value === '0') {
    return null
  }
  if (!/^\d{1,4}$/.test(value)) {
    throw new ConnectionUrlProblem('connect_timeout must be a whole number of seconds from 0 to 9999')
  }
  // libpq, too, takes 1 as 2.
  return Math.max(2, Number(value))
}

function readStartup(parameters: ReadonlyMap<string, string>): Record<string, string> {
  const startup: Record<string, string> = {}
  for (const name of ['application_name', 'options']) {
    const value = text(parameters, name)
    if (value !== null) {
      startup[name] = value
    }
  }
  return startup
}

function text(parameters: ReadonlyMap<string, string>, name: string): string | null {
  return decode(parameters.get(name) ?? '', name)
}

/** Decoded text; null for absent or empty. */
function decode(value: string | null, what: string): string | null {
  if (value === null || value === '') {
    return null
  }
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    throw new ConnectionUrlProblem(`the ${what} of the connection URL has a % that must be written %25`, { cause })
  }
}

function oneOf<const T extends string>(name: string, value: string, accepted: readonly T[]): T {
  const found = accepted.find((word) => word === value)
  if (found === undefined) {
    throw new ConnectionUrlProblem(`${name} must be one of ${accepted.join(', ')}; got "${value.slice(0, 40)}"`)
  }
  return found
}

function isOn(value: string | null): boolean {
  return value === 'true' || value === '1' || value === 'on'
}

function splitOnce(value: string, separator: string): [string, string | null] {
  const at = value.indexOf(separator)
  return at === -1 ? [value, null] : [value.slice(0, at), value.slice(at + separator.length)]
}
