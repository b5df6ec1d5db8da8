// A real OpenID Connect provider on a loopback address, and the steps of a person who signs in there.

import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { type PageResponse, PlainBrowser } from '../../../../test/support/merchant.ts'

/** A person with an account at the provider. The provider omits absent claims. */
export interface Person {
  readonly login: string
  readonly email?: string
  readonly email_verified?: unknown
  readonly stores?: unknown
}

export interface ServeOptions {
  /** Whether the ID token contains the claims, too, and not only the user info. */
  readonly inIdToken?: boolean
  /** Changes the JSON response of `/token`, `/me` or `/.well-known/openid-configuration`. */
  readonly change?: (path: string, body: Record<string, unknown>) => Record<string, unknown>
}

export interface TestProvider {
  readonly issuer: string
  readonly clientSecret: string
  /** All accounts at the provider, by ID. Tests can change them at any time. */
  readonly people: Map<string, Person>
  /** All access tokens, refresh tokens and ID tokens that the provider issued. */
  readonly tokens: string[]
  /** Starts to respond, for the dashboard at this URL. */
  serve(dashboardUrl: string, options?: ServeOptions): void
  /** Stops responding and closes all connections, until the next `serve`. */
  silence(): void
  close(): Promise<void>
}

/** Listens on a free port. Requests wait for `serve`. */
export async function openProvider(): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${portOf(server)}`
  const clientSecret = randomBytes(24).toString('base64url')
  const people = new Map<string, Person>()
  const tokens: string[] = []
  const silence = () => {
    server.removeAllListeners('request')
    server.on('request', (request) => request.socket.destroy())
    server.closeAllConnections()
  }
  return {
    issuer,
    clientSecret,
    people,
    tokens,
    silence,
    serve(dashboardUrl, { inIdToken = false, change } = {}) {
      const provider = new Provider(issuer, settings({ dashboardUrl, clientSecret, people, inIdToken }))
      const handle = provider.callback()
      server.removeAllListeners('request')
      server.on('request', (request, response) => {
        if (CHANGED.includes(request.url ?? '')) {
          replaceBody(response, (body) => {
            const changed = change?.(request.url ?? '', body) ?? body
            tokens.push(...TOKENS.flatMap((name) => (typeof changed[name] === 'string' ? [changed[name]] : [])))
            return changed
          })
        }
        handle(request, response)
      })
    },
    async close() {
      silence()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Signs in at the provider, starting at the URL `start`. Returns the callback URL. */
export async function signInThere(start: string, issuer: string, login: string): Promise<string> {
  const there = new PlainBrowser(issuer)
  let path = pathAt(issuer, start)
  for (let step = 0; step < 12; step += 1) {
    const page = await there.get(path)
    const next = page.status === 200 ? await fill(there, page, login) : page
    const location = next.headers.get('location')
    if (location === null)
      throw new Error(`the provider returned ${next.status} at ${path}: ${next.text.slice(0, 300)}`)
    const address = new URL(location, issuer)
    if (address.origin !== issuer) return address.href
    path = pathAt(issuer, address.href)
  }
  throw new Error('the provider does not redirect to the dashboard')
}

/** Declines the sign-in at the provider. Returns the callback URL. */
export async function declineThere(start: string, issuer: string): Promise<string> {
  const there = new PlainBrowser(issuer)
  const asked = await there.get(pathAt(issuer, start))
  const interaction = pathAt(issuer, asked.headers.get('location') ?? '')
  const aborted = await there.get(`${interaction}/abort`)
  const back = await there.get(pathAt(issuer, aborted.headers.get('location') ?? ''))
  return back.headers.get('location') ?? ''
}

/** Sends the form on the provider's page: first the sign-in, then the consent. */
function fill(there: PlainBrowser, page: PageResponse, login: string): Promise<PageResponse> {
  const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const path = pathAt(there.url, action)
  return there.post(path, prompt === 'login' ? { prompt, login, password: 'any' } : { prompt })
}

function pathAt(issuer: string, address: string): string {
  const { pathname, search } = new URL(address, issuer)
  return pathname + search
}

// All providers share one key pair, because better-auth caches public keys by their key ID.
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Returns an ID token with changed claims and a valid signature. */
export function signedWith(token: string, claims: Readonly<Record<string, unknown>>): string {
  const [head = '', payload = ''] = token.split('.')
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  const signed = `${head}.${Buffer.from(JSON.stringify({ ...before, ...claims })).toString('base64url')}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`
}

interface Served {
  readonly dashboardUrl: string
  readonly clientSecret: string
  readonly people: ReadonlyMap<string, Person>
  readonly inIdToken: boolean
}

function settings({ dashboardUrl, clientSecret, people, inIdToken }: Served) {
  return {
    clients: [
      {
        client_id: 'dashboard',
        client_secret: clientSecret,
        redirect_uris: [`${dashboardUrl}/sign-in/oidc/callback`],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'stores'] },
    conformIdTokenClaims: !inIdToken,
    ttl: { Interaction: 600, Session: 600, Grant: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'only' }] },
    findAccount: (_context: unknown, id: string) => {
      const { login: sub, ...claims } = people.get(id) ?? { login: id }
      return { accountId: id, claims: () => ({ sub, ...claims }) }
    },
  }
}

const CHANGED: readonly string[] = ['/token', '/me', '/.well-known/openid-configuration']
const TOKENS = ['access_token', 'refresh_token', 'id_token'] as const

/** Replaces the JSON body of a response. */
function replaceBody(response: ServerResponse, change: (body: Record<string, unknown>) => unknown): void {
  const end = response.end.bind(response)
  response.end = (body: unknown) => {
    const changed = JSON.stringify(change(JSON.parse(String(body))))
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo
  return address.port
}
