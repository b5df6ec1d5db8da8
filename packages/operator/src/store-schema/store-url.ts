// Connection URLs of store databases, made from the URL of the server that holds them.

/** Who connects to which database. */
export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
}

/** Parameters that, in libpq's way, would win over what stands before the question mark. */
const LOGIN_PARAMETERS = /^(?:user|password|dbname)=/i

/** `serverUrl` with another user, password and database; hosts, ports and all other parameters stay. */
export function urlForLogin(serverUrl: string, { user, password, database }: Login): string {
  const { scheme, hosts, parameters } = split(serverUrl)
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  const kept = parameters.filter((parameter) => !LOGIN_PARAMETERS.test(parameter))
  return join(`${scheme}${login}@${hosts}/${encodeURIComponent(database)}`, kept)
}

/** `serverUrl` for another database of the same server, as the same user. */
export function urlForDatabase(serverUrl: string, database: string): string {
  const { scheme, login, hosts, parameters } = split(serverUrl)
  const kept = parameters.filter((parameter) => !/^dbname=/i.test(parameter))
  return join(`${scheme}${login}${hosts}/${encodeURIComponent(database)}`, kept)
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
