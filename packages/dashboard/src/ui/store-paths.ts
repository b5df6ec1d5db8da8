// Addresses of the pages, as the views link to them and the routes serve them.

import type { Frame } from '../pages/models.ts'

/** Addresses of a store's pages. */
export function storePaths(storeId: string): StorePaths {
  const base = `/stores/${encodeURIComponent(storeId)}`
  const keys = `${base}/settings/api/keys`
  const key = (id: string) => `${keys}/${encodeURIComponent(id)}`
  return {
    general: `${base}/settings/general`,
    api: `${base}/settings/api`,
    live: `${base}/settings/api/live`,
    keys,
    revoke: (id) => `${key(id)}/revoke`,
    replace: (id) => `${key(id)}/replace`,
    created: (id) => `${key(id)}/created`,
    usage: `${base}/usage`,
    usageOfKey: (id) => `${base}/usage?key=${encodeURIComponent(id)}`,
    keyUsage: (id) => `${base}/usage/keys/${encodeURIComponent(id)}`,
    data: (list) => `${base}/data/${list}`,
    dataRow: (list, id) => `${base}/data/${list}/${encodeURIComponent(id)}`,
    recipes: `${base}/recipes`,
  }
}

/** Where the pages of one store are. */
export interface StorePaths {
  readonly general: string
  readonly api: string
  readonly live: string
  readonly keys: string
  readonly revoke: (keyId: string) => string
  readonly replace: (keyId: string) => string
  readonly created: (keyId: string) => string
  readonly usage: string
  readonly usageOfKey: (keyId: string) => string
  readonly keyUsage: (keyId: string) => string
  readonly data: (list: string) => string
  readonly dataRow: (list: string, rowId: string) => string
  readonly recipes: string
}

/** Addresses of the store that `frame` is about. */
export function pathsOf(frame: Pick<Frame, 'store'>): StorePaths {
  if (frame.store === null) throw new Error('this page is of no store')
  return storePaths(frame.store.id)
}
