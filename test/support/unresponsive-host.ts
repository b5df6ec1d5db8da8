// A host that accepts no more TCP connections, like a machine that is down or a firewall that drops packets.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A listening port whose queue of connections is full. */
export interface UnresponsiveHost {
  readonly port: number
  close(): Promise<void>
}

const LISTEN = `const { parentPort } = require('node:worker_threads')
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

/** Starts a host on 127.0.0.1. Connections to it neither open nor fail. */
export async function startUnresponsiveHost(): Promise<UnresponsiveHost> {
  const worker = new Worker(LISTEN, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  // The operating system accepts connections of a blocked process until its queue is full.
  const queued = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await once(queued[0] as Socket, 'connect')
  const close = async () => {
    for (const socket of queued) socket.destroy()
    await worker.terminate()
  }
  return { port, close }
}
