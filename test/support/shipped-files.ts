// The configurations that we ship and advise, as they are, with the addresses of a test in place of theirs.

import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Where a node of the test listens, as `host:port`. */
export interface NodeAddresses {
  readonly api: string
  readonly dashboard: string
  /** Port of the operations listener. */
  readonly operationsPort: string
}

/** Where the balancer of the test listens. */
export interface BalancerPorts {
  readonly api: number
  readonly dashboard: number
}

const ROOT = path.resolve(import.meta.dirname, '..', '..')

/** `deploy/nginx.conf`, which takes turns. */
export function shippedNginx(): Promise<string> {
  return readFile(path.join(ROOT, 'deploy', 'nginx.conf'), 'utf8')
}

/** The same, with the block of docs/operate/proxy-and-tls.md that sends each key to one node. */
export async function nginxByKey(): Promise<string> {
  const page = await readFile(path.join(ROOT, 'docs', 'operate', 'proxy-and-tls.md'), 'utf8')
  const [, advised] = /```\n(upstream api \{.*?\n\})\n```/s.exec(page) ?? []
  const shipped = await shippedNginx()
  const own = /^ {2}upstream api \{.*?^ {2}\}$/ms
  if (advised === undefined || !own.test(shipped)) throw new Error('there is no block "upstream api" to replace')
  return shipped.replace(own, advised)
}

/** `deploy/haproxy.cfg`. */
export function shippedHaproxy(): Promise<string> {
  return readFile(path.join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8')
}

/** The text with these addresses; throws if an address of the shipped file is left. */
export function withAddresses(text: string, nodes: readonly NodeAddresses[], ports: BalancerPorts): string {
  let replaced = text
    .replace(/(listen |bind :)8080/, `$1${ports.api}`)
    .replace(/(listen |bind :)8081/, `$1${ports.dashboard}`)
  for (const [index, { api, dashboard, operationsPort }] of nodes.entries())
    replaced = replaced
      .replaceAll(`api-${index + 1}:8080 check port 9090`, `${api} check port ${operationsPort}`)
      .replaceAll(`api-${index + 1}:8081 check port 9090`, `${dashboard} check port ${operationsPort}`)
      .replaceAll(`api-${index + 1}:8080`, api)
      .replaceAll(`api-${index + 1}:8081`, dashboard)
  const left = /api-\d:\d+|\b(808[01]|9090)\b/.exec(replaced)
  if (left !== null) throw new Error(`the address ${left[0]} was not replaced`)
  return replaced
}
