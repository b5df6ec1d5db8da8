import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const MODULE = new URL('undici-assertion.ts', import.meta.url).href

/** A server that closes after a complete response, or in the middle of it, before the client has started to read. */
const program = (length: number) => `
  import net from 'node:net'
  import { ignoreUndiciAssertion } from '${MODULE}'
  if (process.env.GUARDED === 'yes') ignoreUndiciAssertion()
  const body = Buffer.alloc(65536, 'a')
  const server = net.createServer((socket) => socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: ${length}\\r\\nconnection: close\\r\\n\\r\\n')
    socket.end(body)
  }))
  server.listen(0, '127.0.0.1', async () => {
    const response = await fetch('http://127.0.0.1:' + server.address().port, { signal: AbortSignal.timeout(2000) })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const outcome = await response.text().then(({ length }) => length, () => 'rejected')
    server.close()
    if (process.env.LATER) setTimeout(() => { throw new TypeError('another one') })
    console.log(outcome)
  })`

const start = (length: number, env: Record<string, string> = {}) =>
  run(process.execPath, ['--input-type=module', '--eval', program(length)], { env: { ...process.env, ...env } })

test('[SYNC-3] if a server closes the connection before the client reads the response, ignoreUndiciAssertion prevents a crash, and a truncated response is rejected', async () => {
  await expect(start(65_536)).rejects.toThrow('!this.paused')
  expect((await start(65_536, { GUARDED: 'yes' })).stdout).toBe('65536\n')
  expect((await start(99_999, { GUARDED: 'yes' })).stdout).toBe('rejected\n')
})

test("after ignoreUndiciAssertion, an uncaught exception other than undici's assert(!this.paused) still ends the process with code 1", async () => {
  const ended = start(65_536, { GUARDED: 'yes', LATER: 'yes' })
  await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('TypeError: another one') })
})
