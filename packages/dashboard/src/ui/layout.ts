// Renders the document around every page: styles, scripts, navigation and account. On a phone, the navigation is above
// the page and needs no script.

import { isAllowed } from '../members/permissions.ts'
import type { Frame, Section } from '../pages/models.ts'
import { LANGUAGES } from '../texts/languages.ts'
import { assets } from './assets.ts'
import { callout, notice } from './components.ts'
import { form } from './forms.ts'
import { type Html, html, NOTHING } from './html.ts'
import { ICONS } from './icons.ts'
import { themeAttribute, themeSwitch } from './themes.ts'

/**
 * Returns the whole document. All messages about the whole page are above the content: the notice, the status of the
 * store, and `callouts`. Before the sign-in, the document has no navigation, no account, no status, and no `callouts`.
 */
export function layout(frame: Frame, content: Html, callouts: Html = NOTHING): Html {
  return html`<!doctype html>
<html lang="${frame.language}" dir="${LANGUAGES[frame.language].direction}"${themeAttribute(frame)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${frame.theme === 'system' ? 'light dark' : frame.theme}">
<meta name="htmx-config" content="${HTMX_CONFIG}">
<title>${frame.title} · Store Data Export</title>
<link rel="icon" href="${assets().icon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets().style.path}">
<script src="${assets().htmx.path}" defer></script>
<script src="${assets().script.path}" defer></script>
</head>
<body>
<a class="skip" href="#main">${frame.texts.layout.skip}</a>
${frame.viewer === null ? signedOut(frame, content) : signedIn(frame, frame.viewer, html`${callouts}${content}`)}
<div class="visually-hidden" id="announcer" role="status" aria-live="polite" data-texts="${JSON.stringify(frame.texts.script)}"></div>
</body>
</html>
`
}

/**
 * Configures htmx to add no inline style, which the security policy forbids, to store no history, and to ignore the
 * body of an error response.
 */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorCSS: false,
  history: false,
  noSwap: [204, 304, '3xx', '4xx', '5xx'],
})

function signedOut(frame: Frame, content: Html): Html {
  return html`<div class="lone">
<header class="lone-head">${brand('/sign-in')}</header>
<main id="main" class="lone-main" tabindex="-1">${frame.notice ? notice(frame.notice) : NOTHING}${content}</main>
${foot(frame)}
${themeSwitch(frame)}
</div>`
}

function signedIn(frame: Frame, viewer: NonNullable<Frame['viewer']>, content: Html): Html {
  return html`<div class="shell">
<header class="side"><div class="side-inner">
${brand('/')}
${storeBox(frame, viewer.storesCount)}
${frame.store === null ? NOTHING : navigation(frame, frame.store.id)}
${account(frame, viewer.email)}
</div></header>
<div class="page">
<main id="main" tabindex="-1">
${frame.notice ? notice(frame.notice) : NOTHING}
${statusNote(frame)}
${content}
</main>
${foot(frame)}
</div>
</div>`
}

function brand(href: string): Html {
  return html`<a class="brand" href="${href}"><img src="${assets().icon.path}" width="24" height="24" alt="">Store Data Export</a>`
}

function storeBox({ store, texts }: Frame, storesCount: number): Html {
  if (store === null) return NOTHING
  // The spread splits the name into characters, not into UTF-16 units.
  const mark = html`<span class="store-mark" aria-hidden="true">${[...store.name][0] ?? '?'}</span>`
  const name = html`${mark}<span class="store-name">${store.name}</span>`
  if (storesCount <= 1) return html`<div class="store-box">${name}</div>`
  return html`<a class="store-box" href="/stores">${name}<span class="visually-hidden">${texts.layout.chooseStore}</span>${ICONS.switch}</a>`
}

function navigation(frame: Frame, storeId: string): Html {
  const { section, apiUrl, texts } = frame
  const { layout: labels } = texts
  const base = `/stores/${encodeURIComponent(storeId)}`
  const item = (at: Section, path: string): Html =>
    html`<li><a href="${base}${path}"${section === at ? html` aria-current="page"` : NOTHING}>${ICONS[at]}${labels.sections[at]}</a></li>`
  const data = isAllowed(frame, 'see data') ? item('data', '/data/orders') : NOTHING
  return html`<nav class="main-nav" aria-label="${labels.navigation}">
<p class="nav-group" id="nav-settings">${labels.settings}</p>
<ul role="list" aria-labelledby="nav-settings">${item('general', '/settings/general')}${item('api', '/settings/api')}${item('members', '/settings/members')}${item('activity', '/settings/activity')}</ul>
<p class="nav-group" id="nav-insight">${labels.storeData}</p>
<ul role="list" aria-labelledby="nav-insight">${item('usage', '/usage')}${data}${item('recipes', '/recipes')}
<li><a href="${apiUrl}/docs">${ICONS.reference}${labels.reference}</a></li></ul>
</nav>`
}

function account(frame: Frame, email: string): Html {
  const signOut = html`<button type="submit" class="link-button">${frame.texts.layout.signOut}</button>`
  return html`<div class="account"><a href="/account${frame.store === null ? '' : `?store=${frame.store.id}`}" title="${email}">${ICONS.account}<span class="account-email">${email}</span></a>${themeSwitch(frame)}${form({ action: '/sign-out', frame }, signOut)}</div>`
}

/** Sections whose pages say themselves that the store has no data. */
const SECTIONS_WITH_NOTE: readonly (Section | null)[] = ['general', 'data']

function statusNote(frame: Frame): Html {
  const { store, section, texts } = frame
  if (store === null || section === null || store.status === 'ready') return NOTHING
  if (SECTIONS_WITH_NOTE.includes(section)) return NOTHING
  // The usual text says that the reader can create keys.
  const isViewer = store.status === 'generating' && !isAllowed(frame, 'manage keys')
  return callout(isViewer ? texts.layout.generatingForViewer : texts.layout[store.status], 'waiting')
}

function foot({ apiUrl, viewer, texts }: Frame): Html {
  const where = viewer === null ? NOTHING : html` <span>${texts.layout.apiUrl} <code>${apiUrl}</code></span>`
  return html`<footer class="foot"><span>${texts.layout.readsOnly}</span>${where}</footer>`
}
