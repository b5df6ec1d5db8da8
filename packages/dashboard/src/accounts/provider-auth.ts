// Configures better-auth for single sign-on. better-auth creates and checks state, PKCE and nonce, and checks the
// signature of the ID token. The dashboard uses only the verified email address and the claim that names stores. It
// stores no token of the provider.

import { acceptInvitationsOf, applyStoresClaim, proveAddress } from '@store-export/control'
import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { type CommonAuthOptions, commonAuthOptions } from './auth.ts'
import { discoveryUrl, fetchObject, objectOf } from './discovery-document.ts'
import { parseStoresClaim } from './parse-stores-claim.ts'

/** The provider of single sign-on, and the dashboard's credentials there. */
export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** URL of further claims; null if all claims are in the ID token. */
  readonly userInfoUrl: string | null
  /** Name of the claim with the stores of a merchant; null if the provider doesn't name stores. */
  readonly storesClaim: string | null
}

/** ID under which better-auth knows the provider. */
export const PROVIDER_ID = 'oidc'

/** Path to which the provider redirects after a sign-in. */
export const CALLBACK_PATH = '/sign-in/oidc/callback'

const NO_TOKENS = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
  scope: null,
}

/** Returns a better-auth instance that loads the discovery document. If this fails, the instance has no provider. */
export function createProviderAuth(options: CommonAuthOptions, provider: ProviderOptions) {
  const { issuer, clientId, clientSecret, userInfoUrl, storesClaim } = provider
  const common = commonAuthOptions(options)
  return betterAuth({
    ...common,
    // The state is in a sealed cookie, so that abandoned sign-ins leave no rows in the database. Updates of the account
    // at later sign-ins would store the provider's tokens.
    account: { ...common.account, storeStateStrategy: 'cookie', updateAccountOnSignIn: false },
    databaseHooks: {
      account: { create: { before: async () => ({ data: NO_TOKENS }) } },
      session: { create: { before: async (session) => ({ data: { ...session, openedBy: 'single_sign_on' } }) } },
    },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: PROVIDER_ID,
            discoveryUrl: discoveryUrl(issuer),
            requireIdTokenVerification: true,
            clientId,
            clientSecret,
            // The default method of OpenID Connect (client_secret_basic).
            authentication: 'basic',
            scopes: ['openid', 'email'],
            redirectURI: options.url + CALLBACK_PATH,
            // A sign-in creates no account, except by the invitation or the claim below.
            disableSignUp: true,
            getUserInfo: async ({ idToken, accessToken }) => {
              const read = await readProfile({ idToken, accessToken, userInfoUrl, clientId, storesClaim })
              if (read === null) return null
              const { stores, ...profile } = read
              // The provider has verified `email`, so the sign-in proves it. This comes before better-auth looks for
              // the account, because an invitation or a claim can create it.
              if (profile.email !== undefined) {
                await proveAddress(options.database, profile.email)
                await acceptInvitationsOf(options.database, profile.email)
                if (stores !== null) await applyStoresClaim(options.database, { email: profile.email, stores })
              }
              return profile
            },
            // Each sign-in finds the account by email address. If the address of a merchant changes at the provider,
            // the merchant loses access to the stores of the old address.
            accountSubject: ({ profile }) => profile.email ?? profile.sub ?? '',
          },
        ],
      }),
    ],
  })
}

interface ProviderTokens {
  /** better-auth has checked its signature, issuer, audience, time and nonce. */
  readonly idToken: string | undefined
  readonly accessToken: string | undefined
  readonly userInfoUrl: string | null
  readonly clientId: string
  readonly storesClaim: string | null
}

/**
 * Returns the profile. It has an address only if the provider verified it. `stores` are the stores of the claim; null
 * without a configured claim. Reads the user info if the ID token lacks the address, its verification, or the claim.
 * Returns null without an ID token for this client. Also returns null if the user info is needed, but can't be read or
 * is about another subject.
 */
async function readProfile({ idToken, accessToken, userInfoUrl, clientId, storesClaim }: ProviderTokens) {
  const claims = idToken === undefined ? null : claimsOf(idToken)
  if (claims === null || typeof claims.sub !== 'string' || !isIssuedTo(clientId, claims)) return null
  const { sub } = claims
  const hasAddress = typeof claims.email === 'string' && claims.email_verified !== undefined
  const isComplete = hasAddress && (storesClaim === null || claims[storesClaim] !== undefined)
  const source = isComplete || userInfoUrl === null ? claims : await fetchUserInfo(userInfoUrl, accessToken ?? '')
  // The user info must be about the subject of the ID token (OpenID Connect Core, 5.3.2).
  if (source === null || source.sub !== sub) return null
  const { email } = source
  const isVerified = typeof email === 'string' && source.email_verified === true
  const stores = storesClaim === null ? null : parseStoresClaim(source[storesClaim] ?? claims[storesClaim])
  const address = isVerified ? { email: email.trim().toLowerCase() } : {}
  return { sub, name: '', emailVerified: isVerified, ...address, stores }
}

/**
 * Whether the authorized party (`azp`) is this client, or is absent from a token with a single audience. better-auth
 * has checked that an audience is this client. Rejecting several audiences without `azp` is stricter than OpenID
 * Connect Core, 3.1.3.7.
 */
function isIssuedTo(clientId: string, { aud, azp }: Readonly<Record<string, unknown>>): boolean {
  const hasOthers = Array.isArray(aud) && aud.length > 1
  return azp === clientId || (azp === undefined && !hasOthers)
}

function fetchUserInfo(url: string, accessToken: string) {
  return fetchObject(url, { authorization: `Bearer ${accessToken}` })
}

function claimsOf(idToken: string) {
  return objectOf(JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()))
}
