import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Returns the IP address of the client, or of the proxy that connected; 'unknown' after the connection closed. */
export function connectionAddress(context: Context<{ Bindings: HttpBindings }>): string {
  return context.env.incoming.socket.remoteAddress ?? 'unknown'
}
