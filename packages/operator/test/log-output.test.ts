import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMigratedDatabase } from '../../../test/support/databases.ts'
import { newSecret, runCommand, SLOW_TEST_TIMEOUTS, startCommand } from './support/command-process.ts'
import { freePort, waitUntil } from './support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

/** Starts a service with this file descriptor as standard output and error. */
async function startServiceTo(outputTo: number) {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const [port, operationsPort] = [await freePort(), await freePort()]
  const settings = {
    DATABASE_URL: control.url,
    SECRET: newSecret(),
    PORT: String(port),
    OPERATIONS_PORT: String(operationsPort),
    LOG_LEVEL: 'debug',
  }
  const service = startCommand(['serve'], { settings, outputTo })
  const [api, operations] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${operationsPort}`]
  await waitUntil(async () => (await fetch(`${operations}/readyz`).catch(() => null))?.status === 200)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  onTestFinished(() => agent.destroy())
  /** Sends requests. Each one writes a log line. */
  const sendRequests = (times: number) =>
    Promise.all(Array.from({ length: times }, () => statusOf(`${api}/llms.txt`, agent)))
  const dropped = async () => {
    const text = await (await fetch(`${operations}/metrics`)).text()
    return Number(/^store_export_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
  }
  const health = async () => (await fetch(`${operations}/healthz`)).status
  return { service, settings, sendRequests, dropped, health }
}

function statusOf(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { agent, method: 'HEAD' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end()
  })
}

function makePipe() {
  const folder = mkdtempSync(path.join(tmpdir(), 'log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'pipe')
  expect(spawnSync('mkfifo', [file]).status).toBe(0)
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(file, constants.O_WRONLY)
  onTestFinished(() => {
    closeSync(reader)
    closeSync(writer)
  })
  const buffer = Buffer.alloc(65_536)
  const read = (): string => {
    try {
      return buffer.toString('utf8', 0, readSync(reader, buffer))
    } catch {
      return ''
    }
  }
  return { writer, read }
}

const REQUESTS = 6000

test('if nothing reads the log during 6,000 requests, each request gets 200, and one event reports the number of dropped lines', async () => {
  const { writer, read } = makePipe()
  const { service, sendRequests, dropped, health } = await startServiceTo(writer)
  expect(new Set(await sendRequests(REQUESTS))).toEqual(new Set([200]))
  expect(await health()).toBe(200)
  const lost = await dropped()
  expect(lost).toBeGreaterThan(100)
  let text = ''
  await expect
    .poll(() => {
      for (let more = read(); more !== ''; more = read()) text += more
      return text
    })
    .toMatch(/"event":"log.lines_dropped","lines":\d+\}\n/)
  const lines = text.split('\n').slice(0, -1)
  const reports = lines.filter((line) => line.includes('log.lines_dropped')).map((line) => JSON.parse(line))
  expect(reports).toMatchObject([{ level: 'warn', lines: lost }])
  expect(lines.filter((line) => line.includes('/llms.txt'))).toHaveLength(REQUESTS - lost)
  // A full pipe does not prevent the shutdown.
  await sendRequests(REQUESTS)
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

test('if the disk of the log is full, every request gets 200, and the service exits with code 0 after SIGTERM', async () => {
  const full = openSync('/dev/full', 'a')
  onTestFinished(() => closeSync(full))
  const { service, settings, sendRequests, dropped, health } = await startServiceTo(full)
  expect(new Set(await sendRequests(REQUESTS))).toEqual(new Set([200]))
  expect(await health()).toBe(200)
  expect(await dropped()).toBeGreaterThan(100)
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
  // A command fails if it cannot write its result.
  expect((await runCommand(['keys', 'list', '--store', 'x'], { settings, outputTo: full })).code).toBe(1)
})
