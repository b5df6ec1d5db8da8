// A real OpenID Connect provider on a loopback address, and a person who signs in at it over plain HTTP.

import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { type PageAnswer, PlainBrowser } from '../../../../test/support/merchant.ts'

/** Somebody with an account at the provider; claims that are absent are not told. */
export interface Person {
  readonly login: string
  readonly email?: string
  readonly email_verified?: unknown
}

/** How a provider answers. */
export interface ServeOptions {
  /** Whether claims are in the ID token, too, and not only at the user info endpoint. */
  readonly inIdToken?: boolean
  /** Changes the JSON that it answers at `/token`, `/me` or `/.well-known/openid-configuration`. */
  readonly change?: (path: string, answer: Record<string, unknown>) => Record<string, unknown>
}

/** A provider that listens. */
export interface TestProvider {
  readonly issuer: string
  readonly clientSecret: string
  /** Everybody with an account there; may be changed at any time. */
  readonly people: Map<string, Person>
  /** Access tokens, refresh tokens and ID tokens that it gave out. */
  readonly tokens: string[]
  /** Begins to answer, for the dashboard at this address. */
  serve(dashboardUrl: string, options?: ServeOptions): void
  /** Answers no more, and ends all connections; `serve` begins anew. */
  silence(): void
  close(): Promise<void>
}

/** Takes a port; requests wait for `serve`. */
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
          changeEnd(response, (answer) => {
            const changed = change?.(request.url ?? '', answer) ?? answer
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

/** Signs in at the provider from the page that `start` leads to; the address on our side that it sends back to. */
export async function signInThere(start: string, issuer: string, login: string): Promise<string> {
  const there = new PlainBrowser(issuer)
  let path = pathAt(issuer, start)
  for (let step = 0; step < 12; step += 1) {
    const answer = await there.get(path)
    const next = answer.status === 200 ? await fill(there, answer, login) : answer
    const location = next.headers.get('location')
    if (location === null)
      throw new Error(`the provider answered ${next.status} at ${path}: ${next.text.slice(0, 300)}`)
    const address = new URL(location, issuer)
    if (address.origin !== issuer) return address.href
    path = pathAt(issuer, address.href)
  }
  throw new Error('the provider leads nowhere')
}

/** Turns away at the provider; the address on our side that it sends back to. */
export async function declineThere(start: string, issuer: string): Promise<string> {
  const there = new PlainBrowser(issuer)
  const asked = await there.get(pathAt(issuer, start))
  const interaction = pathAt(issuer, asked.headers.get('location') ?? '')
  const aborted = await there.get(`${interaction}/abort`)
  const back = await there.get(pathAt(issuer, aborted.headers.get('location') ?? ''))
  return back.headers.get('location') ?? ''
}

/** Sends the form on the provider's page: the sign-in, and after it the consent. */
function fill(there: PlainBrowser, page: PageAnswer, login: string): Promise<PageAnswer> {
  const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const path = pathAt(there.url, action)
  return there.post(path, prompt === 'login' ? { prompt, login, password: 'any' } : { prompt })
}

function pathAt(issuer: string, address: string): string {
  const { pathname, search } = new URL(address, issuer)
  return pathname + search
}

// one for all that a test serves: who checks signatures keeps it by its name
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** `token`, an ID token, with other claims: signed by the provider all the same. */
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
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
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

/** Lets an answer of JSON end as another one. */
function changeEnd(response: ServerResponse, change: (answer: Record<string, unknown>) => unknown): void {
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
