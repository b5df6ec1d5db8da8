// Answers requests that offer another protocol (`Upgrade: h2c`, as Java's HttpClient does) as HTTP/1.1. Node does so
// by itself without a listener for 'upgrade', but it drops the bytes that arrived with the request: a pipelined request
// would have no response, and the next response would be taken for its own.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Makes the server read such a request again without its header `Upgrade`, after `answered` of its connection resolves. */
export function ignoreUpgrade(server: Server, answered: (socket: Duplex) => Promise<void>): void {
  server.on('upgrade', (message, socket, head) => {
    // Node has taken away its own listener: without one, a client that resets the connection would end the process.
    const onError = () => socket.destroy()
    socket.on('error', onError)
    void answered(socket).then(() => {
      if (!socket.writable) return
      socket.off('error', onError)
      socket.unshift(Buffer.concat([headWithoutUpgrade(message), head]))
      server.emit('connection', socket)
    })
  })
}

/** The request's head as it was sent, without one header. Node decodes names and values as latin1. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
