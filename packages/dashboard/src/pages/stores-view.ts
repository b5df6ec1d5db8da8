// The stores of a merchant to choose from.

import { storeAddresses } from '../look/addresses.ts'
import { emptyState, pageHead } from '../look/components.ts'
import { type Html, html } from '../look/html.ts'
import { ICONS } from '../look/icons.ts'
import { layout } from '../look/layout.ts'
import { standingBadge } from '../look/states.ts'
import type { Frame, StoresPage } from './models.ts'

/** The whole page. */
export function storesView(frame: Frame, page: StoresPage): Html {
  const list = html`<ul class="store-list">${page.stores.map(storeItem)}</ul>`
  const none = emptyState('No store yet', 'Ask whoever runs your shop’s platform to add your store to this account.')
  const head = pageHead({ title: 'Your stores', lead: 'Choose the store whose keys and data you want to see.' })
  return layout(frame, html`${head}${page.stores.length > 0 ? list : none}`)
}

function storeItem(store: StoresPage['stores'][number]): Html {
  return html`<li><a href="${storeAddresses(store.id).api}"><span class="store-mark" aria-hidden="true">${[...store.name][0] ?? '?'}</span>
<span class="store-text"><span class="store-name">${store.name}</span><span class="store-facts">${standingBadge(store.standing)}</span></span>
${ICONS.next}</a></li>`
}
