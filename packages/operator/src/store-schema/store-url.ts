// Builds connection URLs of store databases from the URL of their server.

/** The user, password, and database of a connection. */
export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
}

/** Parameters that override the part before the question mark, as in libpq. */
const LOGIN_PARAMETERS = /^(?:user|password|dbname)=/i

/** Returns the URL of `database` on the server, for this login. Throws `Error` if `serverUrl` is no postgres:// URL. */
export function urlForLogin(serverUrl: string, { user, password, database }: Login): string {
  const { scheme, hosts, parameters } = split(serverUrl)
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  const others = parameters.filter((parameter) => !LOGIN_PARAMETERS.test(parameter))
  return join(`${scheme}${login}@${hosts}/${encodeURIComponent(database)}`, others)
}

/**
 * Returns the URL of `database` on the server, for the same login. Throws `Error` if `serverUrl` is no postgres:// URL.
 */
export function urlForDatabase(serverUrl: string, database: string): string {
  const { scheme, login, hosts, parameters } = split(serverUrl)
  const others = parameters.filter((parameter) => !/^dbname=/i.test(parameter))
  return join(`${scheme}${login}${hosts}/${encodeURIComponent(database)}`, others)
}

function split(url: string): { scheme: string; login: string; hosts: string; parameters: string[] } {
  const match = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(url.trim())
  if (match === null) throw new Error('not a connection URL: it must begin with postgres://')
  const [, scheme = '', login = '', hosts = '', query = ''] = match
  return { scheme, login, hosts, parameters: query.split('&').filter((parameter) => parameter !== '') }
}

function join(url: string, parameters: readonly string[]): string {
  return parameters.length === 0 ? url : `${url}?${parameters.join('&')}`
}
