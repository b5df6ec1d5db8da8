// The library for sign-ins at the operator's own login: it makes and checks state, PKCE, nonce and the ID token's
// signature. Of what the provider says only the verified e-mail address counts, and none of its tokens is kept.

import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { type CommonAuthOptions, commonAuthOptions } from './auth.ts'
import { discoveryUrl, fetchObject, objectOf } from './discovery-document.ts'

/** The provider as the library is told of it. */
export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly userInfoUrl: string | null
}

/** Name of the only provider, in the library. */
export const PROVIDER_ID = 'oidc'

/** Where the provider sends a merchant back to. */
export const CALLBACK_PATH = '/sign-in/oidc/callback'

const NO_TOKENS = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
  scope: null,
}

/** The library; it reads the provider's document by itself, and has no provider where that fails. */
export function createProviderAuth(options: CommonAuthOptions, provider: ProviderOptions) {
  const { issuer, clientId, clientSecret, userInfoUrl } = provider
  const common = commonAuthOptions(options)
  return betterAuth({
    ...common,
    // State is in a sealed cookie, so that nothing is stored for sign-ins that nobody ends.
    account: { ...common.account, storeStateStrategy: 'cookie', updateAccountOnSignIn: false },
    databaseHooks: { account: { create: { before: async () => ({ data: NO_TOKENS }) } } },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: PROVIDER_ID,
            discoveryUrl: discoveryUrl(issuer),
            requireIdTokenVerification: true,
            clientId,
            clientSecret,
            authentication: 'basic',
            scopes: ['openid', 'email'],
            redirectURI: options.url + CALLBACK_PATH,
            disableSignUp: true,
            getUserInfo: ({ idToken, accessToken }) => readProfile({ idToken, accessToken, userInfoUrl, clientId }),
            // The e-mail address is what an account is found by, at each sign-in: a merchant whose address there
            // becomes another one does not keep the stores of the old address.
            accountSubject: ({ profile }) => profile.email ?? profile.sub ?? '',
          },
        ],
      }),
    ],
  })
}

interface ProviderTokens {
  /** Checked by the library: signature, issuer, audience, time and nonce. */
  readonly idToken: string | undefined
  readonly accessToken: string | undefined
  readonly userInfoUrl: string | null
  readonly clientId: string
}

/** The account, without an address if the provider did not verify it; null without an ID token for this client. */
async function readProfile({ idToken, accessToken, userInfoUrl, clientId }: ProviderTokens) {
  const claims = idToken === undefined ? null : claimsOf(idToken)
  if (claims === null || typeof claims.sub !== 'string' || !isIssuedTo(clientId, claims)) return null
  const { sub } = claims
  const hasAddress = typeof claims.email === 'string' && claims.email_verified !== undefined
  const source = hasAddress || userInfoUrl === null ? claims : await fetchUserInfo(userInfoUrl, accessToken ?? '')
  // an answer about somebody else does not count
  if (source === null || source.sub !== sub) return null
  const { email } = source
  const isVerified = typeof email === 'string' && source.email_verified === true
  return { sub, name: '', emailVerified: isVerified, ...(isVerified ? { email: email.trim().toLowerCase() } : {}) }
}

/** Whether the ID token was issued to this client, and not to another one of its audience (OpenID Connect Core, 3.1.3.7). */
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
