// The address at the other end of the connection.

import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** IP address of whoever is connected; a proxy's behind one. */
export function connectionAddress(context: Context<{ Bindings: HttpBindings }>): string {
  return context.env.incoming.socket.remoteAddress ?? 'unknown'
}
