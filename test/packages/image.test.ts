// Builds the image of the Dockerfile with podman, and starts it with a read-only file system and without privileges.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { runProgram, withWorkFolder } from '../../connectors/test/python-tool.ts'
import { waitUntil } from '../../packages/operator/test/support/embedded-server.ts'
import { nonEphemeralPort, requestJson, startFleet } from '../../packages/operator/test/support/fleet.ts'
import { createDatabase } from '../support/databases.ts'
import { makeNodeImage } from '../support/node-image.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const IMAGE = 'localhost/store-export-test'
const BUILD_TIMEOUT_MS = 1_200_000
/** Maximum size of the layers that the Dockerfile adds to Node's image. */
const ADDED_BYTES_MAX = 12 * 1024 ** 2
/** Options of Kubernetes' securityContext. Debian's crun fails on machines with both versions of control groups. */
const RUN = ['--runtime', 'runc', 'run', '--network', 'host', '--read-only', '--read-only-tmpfs=false']
const NO_PRIVILEGES = [
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
  '--ulimit',
  'nofile=4096:4096',
  '--ulimit',
  'nproc=4096:4096',
]

let base: string
beforeAll(async () => {
  for (const program of ['podman', 'runc'])
    await runProgram(program, ['--version']).catch((cause: unknown) => {
      throw new Error('npm run test:image needs podman and runc, such as the packages of Debian', { cause })
    })
  const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')
  const [, official = ''] = /^FROM (node:\S+)$/m.exec(dockerfile) ?? []
  base = await podman('pull', '--quiet', `docker.io/library/${official}`).then(
    () => `docker.io/library/${official}`,
    (error: Error) => makeNodeImage(official, error.message),
  )
  await withWorkFolder(async (folder) => {
    const file = path.join(folder, 'Dockerfile')
    await writeFile(file, dockerfile.replaceAll(official, base))
    // The format of Docker has health checks; that of OCI has none.
    await podman('build', '--isolation', 'chroot', '--format', 'docker', '--tag', IMAGE, '--file', file, ROOT)
  })
}, BUILD_TIMEOUT_MS)

async function podman(...parameters: readonly string[]): Promise<string> {
  return (await runProgram('podman', parameters)).trim()
}

async function imageOf(name: string) {
  return JSON.parse(await podman('image', 'inspect', name))[0]
}

/** Returns options that set environment variables. */
function settingsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--env', `STORE_EXPORT_${name}=${value}`])
}

test('the container image adds at most 12 MiB to the Node.js image, and runs as a numeric user other than root', async () => {
  const [image, node] = [await imageOf(IMAGE), await imageOf(base)]
  expect(image.Size - node.Size).toBeLessThan(ADDED_BYTES_MAX)
  expect(image.Config.User).toBe('1000:1000')
  expect(image.Config.StopSignal).toBe('SIGTERM')
})

test('a container of the image passes its health check, and after SIGTERM still serves a request before it exits with code 0', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const secret = randomBytes(32).toString('base64')
  const control = settingsOf({ DATABASE_URL: database.url, SECRET: secret })
  expect(await podman(...RUN, '--rm', ...NO_PRIVILEGES, ...control, IMAGE, 'migrate', '--json')).toContain('001-')

  const fleet = await startFleet(database.url)
  const { key } = await fleet.addStore({ size: { orders: 20, customers: 10, products: 10, locations: 1, groups: 1 } })
  const port = await nonEphemeralPort()
  const name = `store-export-test-${port}`
  // The health check uses the default port.
  const settings = settingsOf({ ...fleet.settings, PORT: String(port), HOST: '127.0.0.1', LAME_DUCK_SECONDS: '3' })
  onTestFinished(async () => void (await podman('rm', '--force', name)))
  await podman(...RUN, '--detach', '--name', name, ...NO_PRIVILEGES, ...settings, IMAGE)
  const status = (path: string) => fetch(`http://127.0.0.1:9090${path}`).then((response) => response.status)
  await waitUntil(async () => (await status('/readyz').catch(() => 0)) === 200)
  const orders = () => requestJson(`http://127.0.0.1:${port}/api/v1/orders?limit=20`, { key })
  expect((await orders()).json.data).toHaveLength(20)
  await podman('healthcheck', 'run', name)
  expect(await podman('exec', name, 'node', '-p', 'process.getuid()')).toBe('1000')
  await expect(podman('exec', name, 'node', '-e', 'fs.writeFileSync("/tmp/file", "")')).rejects.toThrow('read-only')

  await podman('kill', '--signal', 'TERM', name)
  await waitUntil(async () => (await status('/readyz')) === 503)
  expect((await orders()).status).toBe(200)
  expect(await podman('wait', name)).toBe('0')
})
