// Configures better-auth for single sign-on. better-auth creates and checks state, PKCE and nonce, and checks the
// signature of the ID token. The dashboard uses only the verified email address, and stores no token of the provider.

import { acceptInvitationsOf } from '@store-export/control'
import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { type CommonAuthOptions, commonAuthOptions } from './auth.ts'
import { discoveryUrl, fetchObject, objectOf } from './discovery-document.ts'

/** The provider of single sign-on, and the dashboard's credentials there. */
export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** URL of further claims; null if all claims are in the ID token. */
  readonly userInfoUrl: string | null
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
  const { issuer, clientId, clientSecret, userInfoUrl } = provider
  const common = commonAuthOptions(options)
  return betterAuth({
    ...common,
    // The state is in a sealed cookie, so that abandoned sign-ins leave no rows in the database.
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
            getUserInfo: async ({ idToken, accessToken }) => {
              const profile = await readProfile({ idToken, accessToken, userInfoUrl, clientId })
              // The dashboard accepts invitations before better-auth looks for the account, because an invitation can
              // create the account.
              if (profile?.email !== undefined) await acceptInvitationsOf(options.database, profile.email)
              return profile
            },
            // Each sign-in finds the account by email address. A merchant whose address at the provider changes
            // loses access to the stores of the old address.
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
}

/**
 * Returns the profile, which has an address only if the provider verified it. Returns null without an ID token for this
 * client, and if the user info is needed, but can't be read or is about another subject.
 */
async function readProfile({ idToken, accessToken, userInfoUrl, clientId }: ProviderTokens) {
  const claims = idToken === undefined ? null : claimsOf(idToken)
  if (claims === null || typeof claims.sub !== 'string' || !isIssuedTo(clientId, claims)) return null
  const { sub } = claims
  const hasAddress = typeof claims.email === 'string' && claims.email_verified !== undefined
  const source = hasAddress || userInfoUrl === null ? claims : await fetchUserInfo(userInfoUrl, accessToken ?? '')
  // The user info must be about the subject of the ID token (OpenID Connect Core, 5.3.2).
  if (source === null || source.sub !== sub) return null
  const { email } = source
  const isVerified = typeof email === 'string' && source.email_verified === true
  return { sub, name: '', emailVerified: isVerified, ...(isVerified ? { email: email.trim().toLowerCase() } : {}) }
}

/** Whether the provider issued the ID token to this client, and not to another (OpenID Connect Core, 3.1.3.7). */
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
