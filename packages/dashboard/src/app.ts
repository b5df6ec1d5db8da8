// The routes of the dashboard in one list, with the check that each needs: none, a session, or access to a store.

import { type Context, Hono } from 'hono'
import { accountPage, changePassword, signOutOthers } from './routes/account.ts'
import { activityDownload, activityPage } from './routes/activity.ts'
import { createHandlers, type Environment, type Handlers, REPEATABLE } from './routes/create-handlers.ts'
import { create, replace, replacePage } from './routes/create-key.ts'
import { csvDownload, dataPage, dataRowPage, rowDownload, toFirstList } from './routes/data.ts'
import { notFoundPage } from './routes/error-pages.ts'
import { invitationPage, useInvitation } from './routes/invitation.ts'
import { createdLive, createdPage } from './routes/key-created.ts'
import { keysPage, liveKeys, toKeys } from './routes/keys.ts'
import { setLanguage } from './routes/language.ts'
import { inviteMember, membersPage, remove, removeMemberPage, sendAgain, withdraw } from './routes/members.ts'
import { mute, mutePage, setEmails } from './routes/mute.ts'
import { recipesPage } from './routes/recipes.ts'
import { rename, renamePage } from './routes/rename-key.ts'
import { chooseEncoding } from './routes/respond.ts'
import { revoke, revokePage } from './routes/revoke-key.ts'
import { linkPage, signIn, signInPage, signOut, signOutEverywhere, useLink } from './routes/sign-in.ts'
import { signInCodePage, signInWithCode } from './routes/sign-in-code.ts'
import { finishSingleSignOn, startSingleSignOn } from './routes/single-sign-on.ts'
import { generalPage, home, storesPage } from './routes/stores.ts'
import { setTheme } from './routes/theme.ts'
import { confirmTwoFactor, renewRecoveryCodes, setUpTwoFactor, turnOffTwoFactor } from './routes/two-factor.ts'
import { keyUsagePage, logDownload, usagePage } from './routes/usage.ts'
import { securityHeaders } from './security/security-headers.ts'
import type { Services } from './services.ts'
import { type Asset, assets } from './ui/assets.ts'

/** Returns the Hono app that serves the dashboard. */
export function createApp(services: Services): Hono<Environment> {
  const app = new Hono<Environment>()
  const handlers = createHandlers(services)
  const { page, form } = handlers
  const headers = Object.entries(securityHeaders(services.origins.isSecure))
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
  app.post('/sign-in/oidc', form(startSingleSignOn))
  app.get('/sign-in/oidc/callback', page(finishSingleSignOn))
  app.get('/link/:token', page(linkPage))
  app.post('/link', form(useLink))
  app.get('/invitation/:token', page(invitationPage))
  app.post('/invitation', form(useInvitation))
  app.get('/mute/:token', page(mutePage))
  app.post('/mute', form(mute))
  app.post('/theme', page(setTheme))
  for (const path of ['/sign-in/oidc', '/link', '/invitation', '/mute', '/theme', '/sign-out'])
    app.get(path, (context) => context.redirect('/', 303))

  addAccountRoutes(app, handlers)
  addStoreRoutes(app, handlers)

  app.all('*', page(notFoundPage))
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
  app.post('/account/sign-out-others', merchantForm(signOutOthers))
  app.post('/account/sign-out-everywhere', merchantForm(signOutEverywhere))
  app.post('/sign-out', merchantForm(signOut))
}

function addStoreRoutes(app: Hono<Environment>, { storePage, storeForm, storeFile }: Handlers): void {
  const store = app.basePath('/stores/:store')
  for (const path of ['/', '/settings', '/settings/api/keys']) store.get(path, storePage(toKeys))
  store.get('/settings/general', storePage(generalPage))
  store.get('/settings/api', storePage(keysPage))
  store.get('/settings/activity', storePage(activityPage))
  store.get('/settings/activity.csv', storePage(activityDownload))
  store.get('/settings/members', storePage(membersPage))
  store.post('/settings/members/invitations', storeForm(inviteMember))
  store.post('/settings/members/invitations/:invitation/send', storeForm(sendAgain))
  store.post('/settings/members/invitations/:invitation/withdraw', storeForm(withdraw))
  store.get('/settings/members/:member/remove', storePage(removeMemberPage))
  store.post('/settings/members/:member/remove', storeForm(remove))
  store.get('/settings/api/live', storePage(liveKeys))
  store.post('/settings/api/keys', storeForm(create, REPEATABLE))
  store.get('/settings/api/keys/:key/created', storePage(createdPage))
  store.get('/settings/api/keys/:key/created/live', storePage(createdLive))
  store.get('/settings/api/keys/:key/revoke', storePage(revokePage))
  store.post('/settings/api/keys/:key/revoke', storeForm(revoke, REPEATABLE))
  store.get('/settings/api/keys/:key/replace', storePage(replacePage))
  store.post('/settings/api/keys/:key/replace', storeForm(replace, REPEATABLE))
  store.get('/settings/api/keys/:key/rename', storePage(renamePage))
  store.post('/settings/api/keys/:key/rename', storeForm(rename, REPEATABLE))
  store.get('/usage', storePage(usagePage))
  store.get('/usage/keys/:key', storePage(keyUsagePage))
  store.post('/usage/keys/:key/emails', storeForm(setEmails))
  store.get('/usage/keys/:key/log.csv', storePage(logDownload))
  store.get('/data/:file{[a-z-]+\\.csv}', storeFile(csvDownload))
  store.get('/data', storePage(toFirstList))
  store.get('/data/:list', storePage(dataPage))
  store.get('/data/:list/:file{[0-9A-Fa-f-]+\\.json}', storeFile(rowDownload))
  store.get('/data/:list/:row', storePage(dataRowPage))
  store.get('/recipes', storePage(recipesPage))
}

/** Returns the message for a request with another host name. */
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
