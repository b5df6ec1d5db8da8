// Resolves the host names of database servers on the event loop, with a deadline and one lookup at a time for each
// name. The default of Node.js, getaddrinfo, blocks one of the four threads of the pool until the name server responds.
// As in getaddrinfo, /etc/hosts comes first, and the search domains of /etc/resolv.conf apply. See
// docs/contribute/decisions/031-resolve-host-names-on-the-event-loop.md.

import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** An address of a host, in the form that `net.connect` takes. */
export interface HostAddress {
  readonly address: string
  readonly family: 4 | 6
}

const DEFAULTS = {
  hostsFile: '/etc/hosts',
  resolvFile: '/etc/resolv.conf',
  /** Name servers as `address:port`; null for the system's name servers. */
  servers: null as readonly string[] | null,
  /**
   * Time limit for a name with all its search domains, in ms. It is below the default time limit for opening a
   * connection, so that the error names the cause.
   */
  timeoutMs: 2500,
}
/** The files and the name servers of a lookup, and its time limit. */
export type HostLookupOptions = Readonly<typeof DEFAULTS>
const TRIES = 2
/** Maximum cache time, even if a name server allows more, because a host can move to another address. */
const TTL_SECONDS_MAX = 300
/** Maximum number of cached names. A full cache is emptied. */
const NAMES_MAX = 10_000
/** Maximum wait for the IPv6 addresses after the IPv4 addresses arrived (RFC 8305). */
const IPV6_WAIT_MS = 50
/**
 * Maximum wait for the IPv4 addresses after the IPv6 addresses arrived. It is longer than the wait for IPv6 addresses,
 * because many hosts with an IPv6 address are reachable only by IPv4.
 */
const IPV4_WAIT_MS = 500

interface Found {
  readonly addresses: readonly HostAddress[]
  readonly ttlSeconds: number
}

/**
 * Resolves host names, and caches addresses from name servers for as long as the server allows, at most 300 seconds.
 */
export class HostLookup {
  private readonly options: HostLookupOptions
  private readonly known = new Map<string, { readonly addresses: readonly HostAddress[]; readonly until: number }>()
  /** Pending lookups by name. Concurrent requests for a name share one lookup. */
  private readonly resolving = new Map<string, Promise<readonly HostAddress[]>>()

  constructor(options: Partial<HostLookupOptions> = {}) {
    this.options = { ...DEFAULTS, ...options }
  }

  /**
   * Returns the addresses of a host name, at least one. Rejects with an Error that has a `code`: `ENOTFOUND` for an
   * unknown name, `ECANCELLED` or `ETIMEOUT` if no response arrives in time, or another code of the name server.
   */
  resolve(host: string): Promise<readonly HostAddress[]> {
    // Host names don't distinguish case.
    const name = host.toLowerCase()
    const known = this.known.get(name)
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.addresses)
    const pending = this.resolving.get(name) ?? this.begin(name)
    this.resolving.set(name, pending)
    return pending
  }

  /**
   * Resolves a name like `resolve`, as a function for `net.connect`. Returns only addresses of the requested family.
   */
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
    // Not cached, so that a change of the file applies at once.
    if (ofFile.length > 0) return { addresses: ofFile, ttlSeconds: 0 }
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES })
    if (servers !== null) resolver.setServers(servers)
    // Several name servers and search domains share one deadline.
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

/** The lookup that all connections of this process share, with its cache. */
export const hostLookup = new HostLookup()

/**
 * Returns the addresses of the first name that has one. If no name has one, rejects with the first error other than an
 * absent name, or with `ENOTFOUND`. Stops at a timeout, because the next name would also get no response.
 */
async function queryFirst(resolver: Resolver, names: readonly string[]): Promise<Found> {
  let failure: unknown
  for (const name of names) {
    try {
      return await query(resolver, name)
    } catch (error) {
      // As in glibc: if the name server fails for one search domain, another candidate can still succeed.
      if (!isAbsent(error)) failure ??= error
      if (isSilence(error)) break
    }
  }
  throw failure ?? notFound(names[0] ?? '')
}

/**
 * Returns the addresses of both families. IPv4 comes first, and `net.connect` tries IPv6 if IPv4 doesn't respond. If
 * the query for one family fails or is late, the result has a time to live of 0, so the next connection queries again.
 * Rejects with an error of the queries if neither family has an address.
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
  // `[false]` means that a family has not responded.
  const wait = (ms: number) => delay(ms, [false], { ref: false })
  const waited = Promise.any([ipv4.then(() => wait(IPV6_WAIT_MS)), ipv6.then(() => wait(IPV4_WAIT_MS))])
  const all = Promise.all(families)
  const isComplete = await Promise.race([all, waited.catch(() => all)]).then((known) => known.every(Boolean))
  // The error of a failed name server says more than the absence of a name.
  if (found.length === 0) throw failures.find((error) => !isAbsent(error)) ?? failures[0]
  return {
    addresses: found.map(({ address }) => addressOf(address)).sort((a, b) => a.family - b.family),
    ttlSeconds: isComplete ? Math.min(...found.map(({ ttl }) => ttl)) : 0,
  }
}

/**
 * Returns the addresses of a name in /etc/hosts. If the file has none for `localhost` or a name below it, returns the
 * loopback addresses.
 */
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

/**
 * Returns the names to query, in the order of resolv.conf(5). A name with `ndots` or more dots comes first. A name that
 * ends with a dot is the only one.
 */
function candidates(name: string, resolv: string): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const lines = resolv.split('\n').map((line) => line.trim().split(/\s+/))
  const search = lines.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  const options = lines.filter(([word]) => word === 'options').flatMap((words) => words.slice(1))
  const ndots = Number(options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length) ?? 1)
  const longer = search.filter((domain) => domain !== '.').map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  return name.split('.').length - 1 >= ndots ? [name, ...longer] : [...longer, name]
}

/** Returns the text of a file, or '' if it can't be read. Some containers lack these files. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

/** Whether the name server responded that the name, or its address of this family, doesn't exist. */
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
