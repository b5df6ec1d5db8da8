// Renders the list of the merchant's stores.

import { storeBadge } from '../ui/badges.ts'
import { emptyState, pageHead } from '../ui/components.ts'
import { type Html, html } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { Frame, StoresPage } from './models.ts'

/** Returns the list of stores, with a link to each. */
export function storesView(frame: Frame, page: StoresPage): Html {
  const list = html`<ul class="store-list">${page.stores.map(storeItem)}</ul>`
  const none = emptyState('No stores yet', 'Ask your platform’s support to add your store to this account.')
  const head = pageHead({ title: 'Your stores', lead: 'Choose a store to see its keys and data.' })
  return layout(frame, html`${head}${page.stores.length > 0 ? list : none}`)
}

function storeItem(store: StoresPage['stores'][number]): Html {
  return html`<li><a href="${storePaths(store.id).api}"><span class="store-mark" aria-hidden="true">${[...store.name][0] ?? '?'}</span>
<span class="store-text"><span class="store-name">${store.name}</span><span class="store-facts">${storeBadge(store.status)}</span></span>
${ICONS.next}</a></li>`
}
