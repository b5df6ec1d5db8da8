// Lists the response of each route of the dashboard for each visitor. The test fails for a route that is not here.

/** The senders of requests. `stranger` is an admin of another store, and `newcomer` sees no store. */
export const VISITORS = ['admin', 'developer', 'viewer', 'stranger', 'newcomer', 'signedOut'] as const
export type Visitor = (typeof VISITORS)[number]

/** Statuses of a route of a store, for members of the store with each role. */
interface StoreRoute {
  readonly admin: number
  readonly developer: number
  readonly viewer: number
  /** Fields of the form, without its token. */
  readonly fields?: Readonly<Record<string, string>>
}

const SEEN = { admin: 200, developer: 200, viewer: 200 }
const REDIRECT = { admin: 303, developer: 303, viewer: 303 }
/** A page for admins. */
const ADMIN_PAGE = { admin: 200, developer: 403, viewer: 403 }
/** A form for admins, which redirects afterwards. */
const ADMIN_FORM = { admin: 303, developer: 403, viewer: 403 }
/** A page for admins and developers. */
const DEVELOPER_PAGE = { admin: 200, developer: 200, viewer: 403 }
/** A form for admins and developers, which redirects afterwards. */
const DEVELOPER_FORM = { admin: 303, developer: 303, viewer: 403 }

/** All routes below `/stores/:store`. Others get 404, and visitors without a session are sent to the sign-in page. */
export const STORE_ROUTES: Readonly<Record<string, StoreRoute>> = {
  'GET ': REDIRECT,
  'GET /settings': REDIRECT,
  'GET /settings/general': SEEN,
  'GET /settings/activity': SEEN,
  'GET /settings/activity.csv': SEEN,
  'GET /settings/api': SEEN,
  'GET /settings/api/live': SEEN,
  'GET /settings/api/keys': REDIRECT,
  'POST /settings/api/keys': { ...DEVELOPER_FORM, fields: { name: 'Made by a form' } },
  // Only the browser that created the key sees it.
  'GET /settings/api/keys/:key/created': DEVELOPER_PAGE,
  'GET /settings/api/keys/:key/created/live': DEVELOPER_PAGE,
  'GET /settings/api/keys/:key/rename': DEVELOPER_PAGE,
  'POST /settings/api/keys/:key/rename': { ...DEVELOPER_FORM, fields: { name: 'Renamed by a form' } },
  'GET /settings/api/keys/:key/permissions': DEVELOPER_PAGE,
  'POST /settings/api/keys/:key/permissions': {
    ...DEVELOPER_FORM,
    fields: { access: 'sales', ends: 'never', addresses: '' },
  },
  'GET /settings/api/keys/:key/replace': DEVELOPER_PAGE,
  'POST /settings/api/keys/:key/replace': { ...DEVELOPER_FORM, fields: { ends: 'at once' } },
  'GET /settings/api/keys/:key/revoke': DEVELOPER_PAGE,
  'POST /settings/api/keys/:key/revoke': DEVELOPER_FORM,
  'GET /settings/api/keys/:key/turn-off': DEVELOPER_PAGE,
  'POST /settings/api/keys/:key/turn-off': DEVELOPER_FORM,
  'POST /settings/api/keys/:key/turn-on': DEVELOPER_FORM,
  'GET /settings/members': SEEN,
  'POST /settings/members/invitations': {
    ...ADMIN_FORM,
    fields: { email: 'alpha-invited-now@example.com', role: 'viewer' },
  },
  'POST /settings/members/invitations/:invitation/send': ADMIN_FORM,
  'POST /settings/members/invitations/:invitation/withdraw': ADMIN_FORM,
  'GET /settings/members/two-factor': ADMIN_PAGE,
  // The session of the admin has no second factor.
  'POST /settings/members/two-factor/on': { admin: 409, developer: 403, viewer: 403 },
  'POST /settings/members/two-factor/off': { admin: 409, developer: 403, viewer: 403 },
  'GET /settings/members/directory': ADMIN_PAGE,
  'POST /settings/members/directory/tokens': ADMIN_FORM,
  'GET /settings/members/directory/tokens/:token/revoke': ADMIN_PAGE,
  'POST /settings/members/directory/tokens/:token/revoke': ADMIN_FORM,
  'GET /settings/members/:member/remove': ADMIN_PAGE,
  'POST /settings/members/:member/remove': ADMIN_FORM,
  'GET /settings/members/:member/role': ADMIN_PAGE,
  'POST /settings/members/:member/role': { ...ADMIN_FORM, fields: { role: 'admin' } },
  'GET /settings/members/leave': SEEN,
  'POST /settings/members/leave': REDIRECT,
  'GET /usage': SEEN,
  'GET /usage/keys/:key': SEEN,
  'GET /usage/keys/:key/log.csv': SEEN,
  // Stops emails to the member of the session.
  'POST /usage/keys/:key/emails': { ...REDIRECT, fields: { emails: 'off' } },
  'GET /data': { admin: 303, developer: 303, viewer: 403 },
  'GET /data/:list': DEVELOPER_PAGE,
  'GET /data/:list/:row': DEVELOPER_PAGE,
  'GET /data/:list/:file{[0-9A-Fa-f-]+\\.json}': DEVELOPER_PAGE,
  'GET /data/:file{[a-z-]+\\.csv}': DEVELOPER_PAGE,
  'GET /recipes': SEEN,
}

/** Statuses of all other routes, with and without a session. */
export const OTHER_ROUTES: Readonly<Record<string, { readonly signedIn: number; readonly signedOut: number }>> = {
  'GET /': { signedIn: 303, signedOut: 303 },
  // A directory has a token instead of a session.
  'GET /scim/v2/Users': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/Users': { signedIn: 401, signedOut: 401 },
  'POST /scim/v2/Users': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/Users/:user': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/Users/:user': { signedIn: 401, signedOut: 401 },
  'PUT /scim/v2/Users/:user': { signedIn: 401, signedOut: 401 },
  'PATCH /scim/v2/Users/:user': { signedIn: 401, signedOut: 401 },
  'DELETE /scim/v2/Users/:user': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/ServiceProviderConfig': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/ServiceProviderConfig': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/ResourceTypes': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/ResourceTypes': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/ResourceTypes/:name': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/ResourceTypes/:name': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/Schemas': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/Schemas': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/Schemas/:name': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/Schemas/:name': { signedIn: 401, signedOut: 401 },
  'GET /scim/v2/Groups': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/Groups': { signedIn: 401, signedOut: 401 },
  'ALL /scim/v2/*': { signedIn: 401, signedOut: 401 },
  'GET /stores': { signedIn: 200, signedOut: 303 },
  'GET /account': { signedIn: 200, signedOut: 303 },
  'POST /account/language': { signedIn: 303, signedOut: 303 },
  'POST /account/password': { signedIn: 400, signedOut: 303 },
  'POST /account/two-factor/set-up': { signedIn: 400, signedOut: 303 },
  'POST /account/two-factor/confirm': { signedIn: 303, signedOut: 303 },
  'POST /account/two-factor/recovery-codes': { signedIn: 303, signedOut: 303 },
  'POST /account/two-factor/turn-off': { signedIn: 303, signedOut: 303 },
  'GET /account/two-factor/:form': { signedIn: 303, signedOut: 303 },
  'GET /account/passkeys': { signedIn: 303, signedOut: 303 },
  'GET /account/passkeys/new': { signedIn: 303, signedOut: 303 },
  'GET /account/passkeys/:passkey': { signedIn: 303, signedOut: 303 },
  'GET /account/passkeys/:passkey/:form': { signedIn: 303, signedOut: 303 },
  'POST /account/passkeys': { signedIn: 400, signedOut: 303 },
  'POST /account/passkeys/challenge': { signedIn: 400, signedOut: 303 },
  'POST /account/passkeys/:passkey/name': { signedIn: 303, signedOut: 303 },
  'POST /account/passkeys/:passkey/remove': { signedIn: 303, signedOut: 303 },
  'POST /account/sign-out-others': { signedIn: 303, signedOut: 303 },
  'POST /account/sign-out-everywhere': { signedIn: 303, signedOut: 303 },
  'POST /sign-out': { signedIn: 303, signedOut: 303 },
  'GET /sign-out': { signedIn: 303, signedOut: 303 },
  'GET /sign-in': { signedIn: 303, signedOut: 200 },
  'POST /sign-in': { signedIn: 400, signedOut: 400 },
  'GET /sign-in/code': { signedIn: 303, signedOut: 303 },
  'POST /sign-in/code': { signedIn: 400, signedOut: 400 },
  'GET /sign-in/passkey': { signedIn: 303, signedOut: 303 },
  'POST /sign-in/passkey': { signedIn: 400, signedOut: 400 },
  'POST /sign-in/passkey/challenge': { signedIn: 200, signedOut: 200 },
  'GET /sign-in/oidc': { signedIn: 303, signedOut: 303 },
  'POST /sign-in/oidc': { signedIn: 404, signedOut: 404 },
  'GET /sign-in/oidc/callback': { signedIn: 404, signedOut: 404 },
  'GET /link': { signedIn: 303, signedOut: 303 },
  'GET /link/:token': { signedIn: 200, signedOut: 200 },
  'POST /link': { signedIn: 400, signedOut: 400 },
  'GET /invitation': { signedIn: 303, signedOut: 303 },
  'GET /invitation/:token': { signedIn: 404, signedOut: 404 },
  'POST /invitation': { signedIn: 404, signedOut: 404 },
  'GET /mute': { signedIn: 303, signedOut: 303 },
  'GET /mute/:token': { signedIn: 404, signedOut: 404 },
  'POST /mute': { signedIn: 404, signedOut: 404 },
  'GET /theme': { signedIn: 303, signedOut: 303 },
  'POST /theme': { signedIn: 204, signedOut: 204 },
  'GET /favicon.ico': { signedIn: 302, signedOut: 302 },
  'GET /robots.txt': { signedIn: 200, signedOut: 200 },
  // Every other path.
  'ALL /*': { signedIn: 404, signedOut: 404 },
}
