// The routes of the dashboard in one list, with the check that each needs: none, a session, or a permission in a store.
// Only the SCIM routes are elsewhere (scim/scim-routes.ts), because they check the token of a directory.

import { type Context, Hono } from 'hono'
import { accountPage, changePassword, signOutOthers } from './routes/account.ts'
import { activityDownload, activityPage } from './routes/activity.ts'
import { createHandlers, type Environment, type Handlers, REPEATABLE } from './routes/create-handlers.ts'
import { create, replace, replacePage } from './routes/create-key.ts'
import { csvDownload, dataPage, dataRowPage, rowDownload, toFirstList } from './routes/data.ts'
import { createToken, directoryPage, revokeToken, revokeTokenPage } from './routes/directory.ts'
import { notFoundPage } from './routes/error-pages.ts'
import { invitationPage, useInvitation } from './routes/invitation.ts'
import { createdLive, createdPage } from './routes/key-created.ts'
import { permissionsPage, savePermissions } from './routes/key-permissions.ts'
import { keysPage, liveKeys, toKeys } from './routes/keys.ts'
import { setLanguage } from './routes/language.ts'
import { changeRole, rolePage } from './routes/member-role.ts'
import { inviteMember, membersPage, sendAgain, withdraw } from './routes/members.ts'
import { mute, mutePage, setEmails } from './routes/mute.ts'
import {
  addPasskey,
  addPasskeyPage,
  createPasskeyChallenge,
  passkeyPage,
  removePasskey,
  renamePasskey,
} from './routes/passkeys.ts'
import { recipesPage } from './routes/recipes.ts'
import { leave, leavePage, remove, removeMemberPage } from './routes/remove-member.ts'
import { rename, renamePage } from './routes/rename-key.ts'
import { chooseEncoding } from './routes/respond.ts'
import { revoke, revokePage } from './routes/revoke-key.ts'
import { linkPage, signIn, signInPage, signOut, signOutEverywhere, useLink } from './routes/sign-in.ts'
import { signInCodePage, signInWithCode } from './routes/sign-in-code.ts'
import { createSignInChallenge, signInWithPasskey } from './routes/sign-in-passkey.ts'
import { finishSingleSignOn, startSingleSignOn } from './routes/single-sign-on.ts'
import { generalPage, home, storesPage } from './routes/stores.ts'
import { turnOff, turnOffPage, turnOn } from './routes/switch-key.ts'
import { setTheme } from './routes/theme.ts'
import { confirmTwoFactor, renewRecoveryCodes, setUpTwoFactor, turnOffTwoFactor } from './routes/two-factor.ts'
import { releaseTwoFactor, requireTwoFactor, twoFactorRulePage } from './routes/two-factor-rule.ts'
import { keyUsagePage, logDownload, usagePage } from './routes/usage.ts'
import { addScimRoutes } from './scim/scim-routes.ts'
import { securityHeaders } from './security/security-headers.ts'
import type { Services } from './services.ts'
import { type Asset, assets } from './ui/assets.ts'

/**
 * Returns the Hono app that serves the dashboard. Hono uses the first route that matches, so a fixed path comes before
 * a path with a parameter, such as `/data/orders.csv` before `/data/:list`.
 */
export function createApp(services: Services): Hono<Environment> {
  const app = new Hono<Environment>()
  const handlers = createHandlers(services)
  const { page, form } = handlers
  const headers = Object.entries(securityHeaders(services.origins))
  app.use(async (context, next) => {
    if (!services.origins.isOwnHost(context.req.header('host') ?? null))
      return context.text(wrongHostMessage(services.origins.url), 421)
    await next()
    for (const [name, value] of headers) context.res.headers.set(name, value)
  })

  for (const asset of Object.values(assets())) app.get(asset.path, serveAsset(asset))
  app.get('/favicon.ico', (context) => context.redirect(assets().icon.path))
  app.get('/robots.txt', (context) => context.text('User-agent: *\nDisallow: /\n'))

  app.get('/sign-in', page(signInPage))
  app.post('/sign-in', form(signIn))
  app.get('/sign-in/code', page(signInCodePage))
  app.post('/sign-in/code', form(signInWithCode))
  app.post('/sign-in/passkey', form(signInWithPasskey))
  app.post('/sign-in/passkey/challenge', form(createSignInChallenge))
  app.post('/sign-in/oidc', form(startSingleSignOn))
  app.get('/sign-in/oidc/callback', page(finishSingleSignOn))
  app.get('/link/:token', page(linkPage))
  app.post('/link', form(useLink))
  app.get('/invitation/:token', page(invitationPage))
  app.post('/invitation', form(useInvitation))
  app.get('/mute/:token', page(mutePage))
  app.post('/mute', form(mute))
  // This form needs no form token (theme.ts says why).
  app.post('/theme', page(setTheme))
  // A browser can send GET to the URL of a form, for example if the merchant presses Enter in the address bar.
  for (const path of ['/sign-in/oidc', '/sign-in/passkey', '/link', '/invitation', '/mute', '/theme', '/sign-out'])
    app.get(path, (context) => context.redirect('/', 303))

  addAccountRoutes(app, handlers)
  addStoreRoutes(app, handlers)
  addScimRoutes(app, services)

  app.all('*', page(notFoundPage))
  // `page` and `form` respond to their own errors. This handles errors outside of them.
  app.onError((cause, context) => {
    services.emit({ event: 'page.failed', requestId: null, cause })
    return context.text('Something went wrong on our side.', 500)
  })
  return app
}

function addAccountRoutes(app: Hono<Environment>, { merchantPage, merchantForm }: Handlers): void {
  app.get('/', merchantPage(home))
  app.get('/stores', merchantPage(storesPage))
  app.get('/account', merchantPage(accountPage))
  app.post('/account/language', merchantForm(setLanguage))
  app.post('/account/password', merchantForm(changePassword))
  app.post('/account/two-factor/set-up', merchantForm(setUpTwoFactor))
  app.post('/account/two-factor/confirm', merchantForm(confirmTwoFactor))
  app.post('/account/two-factor/recovery-codes', merchantForm(renewRecoveryCodes))
  app.post('/account/two-factor/turn-off', merchantForm(turnOffTwoFactor))
  app.get('/account/two-factor/:form', (context) => context.redirect('/account', 303))
  app.get('/account/passkeys/new', merchantPage(addPasskeyPage))
  app.post('/account/passkeys', merchantForm(addPasskey))
  app.post('/account/passkeys/challenge', merchantForm(createPasskeyChallenge))
  app.get('/account/passkeys/:passkey', merchantPage(passkeyPage))
  app.post('/account/passkeys/:passkey/name', merchantForm(renamePasskey))
  app.post('/account/passkeys/:passkey/remove', merchantForm(removePasskey))
  for (const path of ['/account/passkeys', '/account/passkeys/:passkey/:form'])
    app.get(path, (context) => context.redirect('/account', 303))
  app.post('/account/sign-out-others', merchantForm(signOutOthers))
  app.post('/account/sign-out-everywhere', merchantForm(signOutEverywhere))
  app.post('/sign-out', merchantForm(signOut))
}

/**
 * Adds the routes of a store. A form with `REPEATABLE` may be sent twice, because its handler is idempotent. The
 * dashboard accepts the token of any other form only once.
 */
function addStoreRoutes(app: Hono<Environment>, { storePage, storeForm, storeFile }: Handlers): void {
  const store = app.basePath('/stores/:store')
  for (const path of ['/', '/settings', '/settings/api/keys']) store.get(path, storePage('see usage', toKeys))
  store.get('/settings/general', storePage('see usage', generalPage))
  store.get('/settings/api', storePage('see usage', keysPage))
  store.get('/settings/activity', storePage('see usage', activityPage))
  store.get('/settings/activity.csv', storePage('see usage', activityDownload))
  store.get('/settings/members', storePage('see usage', membersPage))
  store.get('/settings/members/leave', storePage('see usage', leavePage))
  store.post('/settings/members/leave', storeForm('see usage', leave))
  store.get('/settings/members/two-factor', storePage('manage members', twoFactorRulePage))
  store.post('/settings/members/two-factor/on', storeForm('manage members', requireTwoFactor))
  store.post('/settings/members/two-factor/off', storeForm('manage members', releaseTwoFactor))
  store.get('/settings/members/directory', storePage('manage members', directoryPage))
  store.post('/settings/members/directory/tokens', storeForm('manage members', createToken, REPEATABLE))
  store.get('/settings/members/directory/tokens/:token/revoke', storePage('manage members', revokeTokenPage))
  store.post('/settings/members/directory/tokens/:token/revoke', storeForm('manage members', revokeToken, REPEATABLE))
  store.post('/settings/members/invitations', storeForm('manage members', inviteMember))
  store.post('/settings/members/invitations/:invitation/send', storeForm('manage members', sendAgain))
  store.post('/settings/members/invitations/:invitation/withdraw', storeForm('manage members', withdraw))
  store.get('/settings/members/:member/role', storePage('manage members', rolePage))
  store.post('/settings/members/:member/role', storeForm('manage members', changeRole))
  store.get('/settings/members/:member/remove', storePage('manage members', removeMemberPage))
  store.post('/settings/members/:member/remove', storeForm('manage members', remove))
  store.get('/settings/api/live', storePage('see usage', liveKeys))
  store.post('/settings/api/keys', storeForm('manage keys', create, REPEATABLE))
  store.get('/settings/api/keys/:key/created', storePage('manage keys', createdPage))
  store.get('/settings/api/keys/:key/created/live', storePage('manage keys', createdLive))
  store.get('/settings/api/keys/:key/revoke', storePage('manage keys', revokePage))
  store.post('/settings/api/keys/:key/revoke', storeForm('manage keys', revoke, REPEATABLE))
  store.get('/settings/api/keys/:key/replace', storePage('manage keys', replacePage))
  store.post('/settings/api/keys/:key/replace', storeForm('manage keys', replace, REPEATABLE))
  store.get('/settings/api/keys/:key/rename', storePage('manage keys', renamePage))
  store.post('/settings/api/keys/:key/rename', storeForm('manage keys', rename, REPEATABLE))
  store.get('/settings/api/keys/:key/permissions', storePage('manage keys', permissionsPage))
  store.post('/settings/api/keys/:key/permissions', storeForm('manage keys', savePermissions, REPEATABLE))
  store.get('/settings/api/keys/:key/turn-off', storePage('manage keys', turnOffPage))
  store.post('/settings/api/keys/:key/turn-off', storeForm('manage keys', turnOff, REPEATABLE))
  store.post('/settings/api/keys/:key/turn-on', storeForm('manage keys', turnOn, REPEATABLE))
  store.get('/usage', storePage('see usage', usagePage))
  store.get('/usage/keys/:key', storePage('see usage', keyUsagePage))
  store.post('/usage/keys/:key/emails', storeForm('see usage', setEmails))
  store.get('/usage/keys/:key/log.csv', storePage('see usage', logDownload))
  store.get('/data/:file{[a-z-]+\\.csv}', storeFile('see data', csvDownload))
  store.get('/data', storePage('see data', toFirstList))
  store.get('/data/:list', storePage('see data', dataPage))
  store.get('/data/:list/:file{[0-9A-Fa-f-]+\\.json}', storeFile('see data', rowDownload))
  store.get('/data/:list/:row', storePage('see data', dataRowPage))
  store.get('/recipes', storePage('see usage', recipesPage))
}

/** Returns the message for a request with another Host header, which only a dashboard on a loopback address rejects. */
function wrongHostMessage(url: string): string {
  return `The dashboard is at ${url}. To serve it under another URL, change the setting STORE_EXPORT_DASHBOARD_URL.`
}

function serveAsset(asset: Asset) {
  const { contentType, body, gzip, brotli } = asset
  const encoded = { br: brotli, gzip }
  return (context: Context) => {
    const encoding = chooseEncoding(context.req.header('accept-encoding') ?? '', body.length)
    const headers = {
      'content-type': contentType,
      // The URL changes with the content.
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    }
    return context.body(new Uint8Array(encoding === null ? body : encoded[encoding]), 200, headers)
  }
}
