// Reads the shipped and documented load balancer configurations, and sets the addresses of a test.

import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Addresses of a test's node. The first two are `host:port`. */
export interface NodeAddresses {
  readonly api: string
  readonly dashboard: string
  /** Port of the operations listener, without the host. */
  readonly operationsPort: string
}

export interface BalancerPorts {
  readonly api: number
  readonly dashboard: number
}

const ROOT = path.resolve(import.meta.dirname, '..', '..')

/** Returns `deploy/nginx.conf`, which distributes requests in turn. */
export function shippedNginx(): Promise<string> {
  return readFile(path.join(ROOT, 'deploy', 'nginx.conf'), 'utf8')
}

/** Returns `deploy/nginx.conf` with the block of docs/operate/proxy-and-tls.md that sends each key to one node. */
export async function nginxByKey(): Promise<string> {
  const page = await readFile(path.join(ROOT, 'docs', 'operate', 'proxy-and-tls.md'), 'utf8')
  const [, documented] = /```\n(upstream api \{.*?\n\})\n```/s.exec(page) ?? []
  const shipped = await shippedNginx()
  const own = /^ {2}upstream api \{.*?^ {2}\}$/ms
  if (documented === undefined || !own.test(shipped)) throw new Error('there is no block "upstream api" to replace')
  return shipped.replace(own, documented)
}

export function shippedHaproxy(): Promise<string> {
  return readFile(path.join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8')
}

/** Replaces the addresses of a shipped file. Throws if one of them remains. */
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
