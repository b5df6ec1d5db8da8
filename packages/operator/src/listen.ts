// Listening on a port, and the sentences for a port that cannot be had.

import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { codeOf } from './explain-error.ts'
import { UserError } from './user-error.ts'

/** Where to listen, and which setting says so. */
export interface ListenTarget {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Name of the setting that holds the port. */
  readonly portSetting: string
}

/** Makes the server listen; resolves to its address as a URL. Throws a sentence when it cannot. */
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

/** Throws a sentence when the port cannot be had now. */
export async function requireFreePort(target: ListenTarget): Promise<void> {
  if (target.port === 0) return
  const probe = createServer()
  await listen(probe, target)
  await new Promise<void>((resolve) => probe.close(() => resolve()))
}

/** The sentence for an error of `listen`; any other error as it is. */
export function explainListenError(error: unknown, { host, port, portSetting }: ListenTarget): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new UserError(
        `port ${port} of ${host} is taken by another program: stop that one, or set ${portSetting} to a free port`,
        { cause: error },
      )
    case 'EACCES':
      return new UserError(`port ${port} may not be used by this user: set ${portSetting} to one above 1023`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UserError(`${host} is no address of this machine: set STORE_EXPORT_HOST to one that is`, {
        cause: error,
      })
    default:
      return error
  }
}
