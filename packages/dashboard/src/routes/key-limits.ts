// Converts the limits of a key from a form to permissions, and back for the form that changes them.

import { SCOPES } from '@store-export/contract'
import { ADDRESSES_MAX, isNetwork, type KeyPermissions, LATEST_END } from '@store-export/control'
import type { KeyRow, TypedLimits } from '../pages/key-models.ts'
import type { FormFields } from '../security/form-body.ts'
import { parseLocalTime } from '../usage/parse-local-time.ts'
import type { StoreRequest } from './dashboard-request.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** The scopes of the choice `sales`. */
const SALES = ['orders:read', 'products:read'] as const

/**
 * Returns the limits as the merchant typed them, to show the form again. An unknown choice, for example from a page of
 * a newer node, becomes `chosen` or `date`. Without a scope or a day, `createKey` rejects these, so that no limit is
 * lost.
 */
export function typedLimits(form: FormFields): TypedLimits {
  const { access = 'everything', ends = 'never' } = form
  return {
    access: access === 'everything' || access === 'sales' ? access : 'chosen',
    scopes: SCOPES.filter((scope) => form[`scope.${scope}`] !== undefined),
    withoutPersonalData: form['without-personal-data'] !== undefined,
    ends: ends === 'never' || ends === '30' || ends === '90' ? ends : 'date',
    endsOn: form['ends-on'] ?? '',
    addresses: form.addresses ?? '',
  }
}

/**
 * Returns the limits as `typedLimits` does, for a key that exists. Its end can stay the same. Its access to personal
 * data can't change.
 */
export function typedChange(form: FormFields, { withoutPersonalData }: KeyRow): TypedLimits {
  const limits = typedLimits(form)
  return { ...limits, withoutPersonalData, ends: form.ends === 'same' ? 'same' : limits.ends }
}

/**
 * Returns the limits of a key as a merchant would have typed them. An end is `same`, so that saving the form does not
 * change it.
 */
export function limitsOf({ scopes, withoutPersonalData, expiresAt, allowedAddresses }: KeyRow): TypedLimits {
  const isSales = scopes?.length === SALES.length && SALES.every((scope) => scopes.includes(scope))
  return {
    access: scopes === null ? 'everything' : isSales ? 'sales' : 'chosen',
    scopes: scopes ?? [],
    withoutPersonalData,
    ends: expiresAt === null ? 'never' : 'same',
    endsOn: '',
    addresses: allowedAddresses?.join(', ') ?? '',
  }
}

/**
 * Returns the permissions that the limits mean. An unreadable day is an invalid date, which `createKey` rejects. If the
 * end stays the same, `expiresAt` is null, and the caller must not change the end of the key.
 */
export function permissionsOf(limits: TypedLimits, { head, now }: StoreRequest): KeyPermissions {
  const { access, scopes, withoutPersonalData, addresses } = limits
  const list = listOf(addresses)
  return {
    scopes: { everything: null, sales: SALES, chosen: scopes }[access],
    withoutPersonalData,
    expiresAt: endOf(limits, head.timeZone, now),
    allowedAddresses: list.length === 0 ? null : list,
  }
}

/** Returns the typed addresses, which spaces, commas, semicolons, or line breaks separate. */
function listOf(addresses: string): string[] {
  return addresses.split(/[\s,;]+/).filter((address) => address !== '')
}

/** Returns the end of the key; for a day, the end of this day in `timeZone`. Null for no end and for the same end. */
function endOf({ ends, endsOn }: TypedLimits, timeZone: string, now: Date): Date | null {
  if (ends === 'never' || ends === 'same') return null
  if (ends !== 'date') return new Date(now.getTime() + Number(ends) * DAY_MS)
  // In some time zones, this day ends in the year 10000, after the latest end that a key can have.
  if (LATEST_END.toISOString().startsWith(`${endsOn}T`)) return LATEST_END
  const lastMinute = parseLocalTime(`${endsOn}T23:59`, timeZone)
  return lastMinute === null ? new Date(Number.NaN) : new Date(lastMinute.getTime() + MINUTE_MS)
}

/** Returns the error message for limits that were rejected. If nothing else is wrong, the day has passed. */
export function limitsProblem(
  { texts }: StoreRequest,
  { access, scopes, ends, endsOn, addresses }: TypedLimits,
): string {
  const { problems } = texts.createKey
  if (access === 'chosen' && scopes.length === 0) return problems.nothingChosen
  if (ends === 'date' && endsOn === '') return problems.noDay
  const list = listOf(addresses)
  if (list.length > ADDRESSES_MAX) return problems.tooManyAddresses(ADDRESSES_MAX)
  const wrong = list.find((address) => !isNetwork(address))
  return wrong === undefined ? problems.dayPassed : problems.address(wrong.slice(0, 60))
}
