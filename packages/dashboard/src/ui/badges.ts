// Renders badges for the status of stores, keys, requests, walks and rows.

import type { KeyRow, WalkRow } from '../pages/key-models.ts'
import type { StoreStatus } from '../pages/models.ts'
import { badge, type Tone } from './components.ts'
import type { Html } from './html.ts'

/** Returns a badge for the status of a store: "Ready", "Being created", or "Imported". */
export function storeBadge(status: StoreStatus): Html {
  if (status === 'ready') return badge('Ready', 'good')
  return status === 'generating' ? badge('Being created', 'waiting') : badge('Imported', 'neutral')
}

/** Returns a badge for the status of a key: "Active", "Being replaced", or "Revoked". */
export function keyBadge(key: KeyRow): Html {
  if (key.revokedAt !== null) return badge('Revoked', 'neutral')
  return key.replacedBy === null ? badge('Active', 'good') : badge('Being replaced', 'waiting')
}

/** Returns a badge with an HTTP status. Its color says whether the request succeeded. */
export function statusBadge(status: number): Html {
  return badge(String(status), toneOfStatus(status))
}

function toneOfStatus(status: number): Tone {
  if (status < 400) return 'good'
  return status < 500 ? 'waiting' : 'bad'
}

/** Returns a badge with the progress of a walk, which is a list that a tool reads page by page. */
export function walkBadge(status: WalkRow['status']): Html {
  if (status === 'finished') return badge('Finished', 'good')
  return status === 'stopped' ? badge('Stopped', 'bad') : badge('In progress', 'waiting')
}

/** Returns a badge with the status of a row, such as "paid". Unknown statuses are neutral. */
export function stateBadge(word: string): Html {
  return badge(word.replaceAll('_', ' '), TONES.get(word.toLowerCase()) ?? 'neutral')
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
