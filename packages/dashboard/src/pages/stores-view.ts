// Renders the list of the merchant's stores.

import { storeBadge } from '../ui/badges.ts'
import { emptyState, pageHead } from '../ui/components.ts'
import { type Html, html } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { Frame, StoresPage } from './models.ts'

/** Returns the page of the merchant's stores. Without a store, it says what to do. */
export function storesView(frame: Frame, page: StoresPage): Html {
  const { title, lead, empty } = frame.texts.stores
  const list = html`<ul class="store-list">${page.stores.map((store) => storeItem(frame, store))}</ul>`
  const none = emptyState(empty.heading, empty.text)
  const head = pageHead(frame, { title, lead })
  return layout(frame, html`${head}${page.stores.length > 0 ? list : none}`)
}

function storeItem(frame: Frame, store: StoresPage['stores'][number]): Html {
  return html`<li><a href="${storePaths(store.id).api}"><span class="store-mark" aria-hidden="true">${[...store.name][0] ?? '?'}</span>
<span class="store-text"><span class="store-name">${store.name}</span><span class="store-facts">${storeBadge(frame, store.status)}</span></span>
${ICONS.next}</a></li>`
}
