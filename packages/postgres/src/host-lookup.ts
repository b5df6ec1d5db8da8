// Resolves the host names of database servers on the event loop, with one query at a time for each name, and a deadline.
// Node's default, getaddrinfo, blocks one of a few threads until the name server responds. As in getaddrinfo, /etc/hosts
// comes first, and the search domains of /etc/resolv.conf apply. See
// docs/contribute/decisions/031-resolve-host-names-on-the-event-loop.md.

import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** An address of a host, as `net.connect` takes it. */
export interface HostAddress {
  readonly address: string
  readonly family: 4 | 6
}

const DEFAULTS = {
  hostsFile: '/etc/hosts',
  resolvFile: '/etc/resolv.conf',
  /** Name servers as `address:port`; null for those of the system. */
  servers: null as readonly string[] | null,
  /** Longest time for a name with all its search domains: less than for a connection, so that the error names the cause. */
  timeoutMs: 2500,
}
export type HostLookupOptions = Readonly<typeof DEFAULTS>
const TRIES = 2
/** Maximum cache time, although a name server may allow more: a host can move to another address. */
const TTL_SECONDS_MAX = 300
const NAMES_MAX = 10_000
/** Further wait for the IPv6 addresses after the IPv4 addresses arrived (RFC 8305). */
const IPV6_WAIT_MS = 50
/** Longer, because many hosts that have an IPv6 address are reachable by IPv4 only. */
const IPV4_WAIT_MS = 500

interface Found {
  readonly addresses: readonly HostAddress[]
  readonly ttlSeconds: number
}

export class HostLookup {
  private readonly options: HostLookupOptions
  private readonly known = new Map<string, { readonly addresses: readonly HostAddress[]; readonly until: number }>()
  /** Pending lookups by name: concurrent requests for a name share one. */
  private readonly resolving = new Map<string, Promise<readonly HostAddress[]>>()

  constructor(options: Partial<HostLookupOptions> = {}) {
    this.options = { ...DEFAULTS, ...options }
  }

  /** The addresses of a host name, at least one. Rejects with an Error that has a `code`. */
  resolve(host: string): Promise<readonly HostAddress[]> {
    const name = host.toLowerCase()
    const known = this.known.get(name)
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.addresses)
    const pending = this.resolving.get(name) ?? this.begin(name)
    this.resolving.set(name, pending)
    return pending
  }

  /** The same as a function for `net.connect`. */
  readonly lookup: LookupFunction = (host, { all, family }, callback) => {
    this.resolve(host).then(
      (addresses) => {
        const fitting = addresses.filter((each) => (family !== 4 && family !== 6) || each.family === family)
        const [first] = fitting
        if (first === undefined) callback(notFound(host), '', 0)
        else if (all === true) callback(null, fitting)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }

  private async begin(name: string): Promise<readonly HostAddress[]> {
    try {
      const { addresses, ttlSeconds } = await this.find(name)
      if (this.known.size >= NAMES_MAX) this.known.clear()
      this.known.set(name, { addresses, until: performance.now() + Math.min(ttlSeconds, TTL_SECONDS_MAX) * 1000 })
      return addresses
    } finally {
      this.resolving.delete(name)
    }
  }

  private async find(name: string): Promise<Found> {
    const { hostsFile, resolvFile, servers, timeoutMs } = this.options
    const ofFile = addressesIn(await textOf(hostsFile), name)
    if (ofFile.length > 0) return { addresses: ofFile, ttlSeconds: 0 }
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES })
    if (servers !== null) resolver.setServers(servers)
    // several name servers and search domains share one deadline
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      return await queryFirst(resolver, candidates(name, await textOf(resolvFile)))
    } catch (cause) {
      throw describe(name, cause)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The lookup of this process. */
export const hostLookup = new HostLookup()

/** The addresses of the first name that exists. */
async function queryFirst(resolver: Resolver, names: readonly string[]): Promise<Found> {
  let failure: unknown
  for (const name of names) {
    try {
      return await query(resolver, name)
    } catch (error) {
      // As in glibc, a name server that fails for one search domain may know the name in the next, or as it is.
      if (!isAbsent(error)) failure ??= error
      if (isSilence(error)) break
    }
  }
  throw failure ?? notFound(names[0] ?? '')
}

/**
 * Both address families. IPv4 comes first: `net.connect` tries the other one if the first does not respond. Without a
 * response for one family, the addresses of the other have no time to live, so that the next connection queries again.
 */
async function query(resolver: Resolver, name: string): Promise<Found> {
  const found: { readonly address: string; readonly ttl: number }[] = []
  const failures: unknown[] = []
  const ipv4 = resolver.resolve4(name, { ttl: true })
  const ipv6 = resolver.resolve6(name, { ttl: true })
  const families = [ipv4, ipv6].map((family) =>
    family.then(
      (records) => {
        found.push(...records)
        return true
      },
      (error: unknown) => {
        failures.push(error)
        return isAbsent(error)
      },
    ),
  )
  const wait = (ms: number) => delay(ms, [false], { ref: false })
  const waited = Promise.any([ipv4.then(() => wait(IPV6_WAIT_MS)), ipv6.then(() => wait(IPV4_WAIT_MS))])
  const all = Promise.all(families)
  const isComplete = await Promise.race([all, waited.catch(() => all)]).then((known) => known.every(Boolean))
  // A name server that failed says more than one that has no such name.
  if (found.length === 0) throw failures.find((error) => !isAbsent(error)) ?? failures[0]
  return {
    addresses: found.map(({ address }) => addressOf(address)).sort((a, b) => a.family - b.family),
    ttlSeconds: isComplete ? Math.min(...found.map(({ ttl }) => ttl)) : 0,
  }
}

/** The addresses that /etc/hosts has for a name; those of this machine for `localhost`, whatever the file says. */
function addressesIn(hosts: string, name: string): HostAddress[] {
  const found = hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((each) => each.toLowerCase() === name) ? [address] : []
  })
  if (found.length === 0 && /^(.+\.)?localhost\.?$/.test(name)) found.push('127.0.0.1', '::1')
  return found.map(addressOf)
}

function addressOf(address: string): HostAddress {
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

/** The names to query, in the order of resolv.conf(5): with `ndots` dots or more a name is tried as it is first. */
function candidates(name: string, resolv: string): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const lines = resolv.split('\n').map((line) => line.trim().split(/\s+/))
  const search = lines.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  const options = lines.filter(([word]) => word === 'options').flatMap((words) => words.slice(1))
  const ndots = Number(options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length) ?? 1)
  const longer = search.filter((domain) => domain !== '.').map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  return name.split('.').length - 1 >= ndots ? [name, ...longer] : [...longer, name]
}

/** Empty without the file: some containers have none. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

/** Whether the name server responded that the name, or an address of this family, does not exist. */
function isAbsent(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error))
}

/** Whether no name server responded within the time limit. */
function isSilence(error: unknown): boolean {
  return ['ETIMEOUT', 'ECANCELLED'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'EAI_FAIL'
}

function describe(name: string, cause: unknown): Error {
  const code = codeOf(cause)
  if (isAbsent(cause)) return notFound(name, cause)
  const reason = isSilence(cause) ? 'the name server did not respond in time' : code
  return Object.assign(new Error(`the host name ${name} could not be resolved: ${reason}`, { cause }), { code })
}

function notFound(name: string, cause?: unknown): Error {
  return Object.assign(new Error(`the host name ${name} does not exist`, { cause }), { code: 'ENOTFOUND' })
}
