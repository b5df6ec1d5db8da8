// Listens on a port. If the port is not available, the error names the setting that changes it.

import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { codeOf } from './explain-error.ts'
import { UserError } from './user-error.ts'

/** The address to listen on, and the name of its setting. */
export interface ListenTarget {
  readonly host: string
  /** Port to listen on; 0 for any free port. */
  readonly port: number
  readonly portSetting: string
  /** The name of the setting of the host; STORE_EXPORT_HOST by default. */
  readonly hostSetting?: string
}

/**
 * Listens, and resolves to the URL of the server, which begins with `http://` even for TLS. Rejects with `UserError` if
 * the port or the host is not available.
 */
export async function listen(server: Server, target: ListenTarget): Promise<string> {
  const { host, port } = target
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw explainListenError(error, target)
  }
  const address = server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
}

/**
 * Listens for a moment. Rejects with `UserError` if the port or the host is not available. Accepts port 0 unchecked.
 */
export async function requireFreePort(target: ListenTarget): Promise<void> {
  if (target.port === 0) return
  const probe = createServer()
  await listen(probe, target)
  await new Promise<void>((resolve) => probe.close(() => resolve()))
}

/** Returns a `UserError` for an error of `listen`. Returns any other error unchanged. */
export function explainListenError(
  error: unknown,
  { host, port, portSetting, hostSetting = 'STORE_EXPORT_HOST' }: ListenTarget,
): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new UserError(
        `another program uses port ${port} of ${host}; stop it, or set ${portSetting} to a free port`,
        { cause: error },
      )
    case 'EACCES':
      return new UserError(`this user cannot use port ${port}; set ${portSetting} to a port above 1023`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UserError(`${host} is not an address of this machine; set ${hostSetting} to one of its addresses`, {
        cause: error,
      })
    default:
      return error
  }
}
