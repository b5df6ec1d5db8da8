// Renders badges for the status of stores, keys, requests, walks and rows.

import type { KeyRow, WalkRow } from '../pages/key-models.ts'
import type { StoreStatus } from '../pages/models.ts'
import type { Localization } from '../texts/languages.ts'
import { badge, type Tone } from './components.ts'
import type { Html } from './html.ts'

/** Returns a badge for the status of a store: "Ready", "Being created", or "Imported". */
export function storeBadge({ texts }: Localization, status: StoreStatus): Html {
  return badge(texts.stores.status[status], STORE_TONES[status])
}

const STORE_TONES = { ready: 'good', generating: 'waiting', imported: 'neutral' } as const

/** Returns a badge for the first status that applies to a key: "Revoked", "Off", "Being replaced", or "Active". */
export function keyBadge({ texts }: Localization, key: KeyRow): Html {
  const { status } = texts.keys
  if (key.revokedAt !== null) return badge(status.revoked, 'neutral')
  if (key.turnedOffAt !== null) return badge(status.off, 'neutral')
  return key.replacedBy === null ? badge(status.active, 'good') : badge(status.beingReplaced, 'waiting')
}

/** Returns a badge with an HTTP status. Its color distinguishes success, client errors, and errors of the service. */
export function statusBadge(status: number): Html {
  return badge(String(status), toneOfStatus(status))
}

function toneOfStatus(status: number): Tone {
  if (status < 400) return 'good'
  return status < 500 ? 'waiting' : 'bad'
}

/** Returns a badge with the progress of a walk, which is a list that a tool reads page by page. */
export function walkBadge({ texts }: Localization, status: WalkRow['status']): Html {
  return badge(texts.keyUsage.syncs.status[status], WALK_TONES[status])
}

const WALK_TONES = { finished: 'good', stopped: 'bad', 'in progress': 'waiting' } as const

/** Returns a badge with the status of a row, such as "paid". A status that is not in `TONES` is neutral. */
export function stateBadge({ texts }: Localization, word: string): Html {
  return badge(texts.contract.value(word), TONES.get(word.toLowerCase()) ?? 'neutral')
}

const TONES = new Map<string, Tone>([
  ...(['paid', 'active', 'completed', 'complete', 'fulfilled', 'delivered', 'published', 'enabled'] as const).map(
    (word) => [word, 'good'] as const,
  ),
  ...(['pending', 'processing', 'partially_refunded', 'partially_paid', 'authorized', 'draft', 'on_hold'] as const).map(
    (word) => [word, 'waiting'] as const,
  ),
  ...(['cancelled', 'failed', 'declined', 'voided', 'expired'] as const).map((word) => [word, 'bad'] as const),
])
