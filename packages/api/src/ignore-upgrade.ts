// Serves requests that offer another protocol (`Upgrade: h2c`, as Java's HttpClient does) over HTTP/1.1. By default,
// Node serves them too, but drops the bytes that arrived with the request. A pipelined request would then get no
// response, and its client would read the next response instead.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Makes the server parse each request that has the header `Upgrade` a second time, without the header. First waits for
 * `previousSent`, which resolves when the previous response of the connection is sent.
 */
export function ignoreUpgrade(server: Server, previousSent: (socket: Duplex) => Promise<void>): void {
  server.on('upgrade', (message, socket, head) => {
    // Node has removed its own listener for errors. Without a listener, a client that resets the connection would end
    // the process.
    const onError = () => socket.destroy()
    socket.on('error', onError)
    void previousSent(socket).then(() => {
      if (!socket.writable) return
      socket.off('error', onError)
      socket.unshift(Buffer.concat([headWithoutUpgrade(message), head]))
      server.emit('connection', socket)
    })
  })
}

/** Returns the head of the request without the header `Upgrade`. Node decodes names and values as latin1. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
