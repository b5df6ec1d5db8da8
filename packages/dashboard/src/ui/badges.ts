// Words and tones of states: of stores, keys, requests, walks, and of the values that tables of data show.

import type { KeyRow, StoreStatus, WalkRow } from '../pages/models.ts'
import { badge, type Tone } from './components.ts'
import type { Html } from './html.ts'

/** How a store stands. */
export function storeBadge(status: StoreStatus): Html {
  if (status === 'ready') return badge('Ready', 'good')
  return status === 'generating' ? badge('Being made', 'waiting') : badge('Imported', 'neutral')
}

/** What state a key is in. */
export function keyBadge(key: KeyRow): Html {
  if (key.revokedAt !== null) return badge('Revoked', 'neutral')
  return key.replacedBy === null ? badge('Active', 'good') : badge('Being replaced', 'waiting')
}

/** The status of an answer. */
export function statusBadge(status: number): Html {
  return badge(String(status), toneOfStatus(status))
}

function toneOfStatus(status: number): Tone {
  if (status < 400) return 'good'
  return status < 500 ? 'waiting' : 'bad'
}

/** How far a walk came. */
export function walkBadge(status: WalkRow['status']): Html {
  if (status === 'finished') return badge('Finished', 'good')
  return status === 'stopped' ? badge('Stopped', 'bad') : badge('In progress', 'waiting')
}

/** A state that a row of the store is in, by its word; unknown words have no colour. */
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
