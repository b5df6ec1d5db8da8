// Renders the limits of a key: the fields of a new key, and the facts about an existing one.

import { RESOURCES, type Scope, scopeOf } from '@store-export/contract'
import { endOfKey } from '@store-export/control'
import { checkbox, radioGroup, selection } from '../ui/choices.ts'
import { exactTime } from '../ui/dates.ts'
import { field } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import type { KeyRow, TypedLimits } from './key-models.ts'
import type { Frame } from './models.ts'

const ACCESS = [
  { value: 'everything', label: 'Everything' },
  { value: 'sales', label: 'Orders and products, for example for accounting' },
  { value: 'chosen', label: 'Only what you choose:' },
]
const ENDS = [
  { value: 'never', label: 'When you revoke it' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: 'date', label: 'At the end of a day' },
]

/** Returns the fields that limit a new key. They are folded while every limit has its default. */
export function keyLimitsFields({ limits, problem }: { limits: TypedLimits; problem: string | null }): Html {
  const isFolded = problem === null && JSON.stringify(limits) === JSON.stringify(NO_LIMITS)
  const boxes = [...labels()].map(([scope, label]) =>
    checkbox({ name: `scope.${scope}`, label, isChecked: limits.scopes.includes(scope) }),
  )
  return html`<details class="limits"${isFolded ? NOTHING : html` open`}><summary>Limit what the key can do</summary>
<div class="limits-fields">
${problem === null ? NOTHING : html`<p class="form-problem" role="alert">${problem}</p>`}
${radioGroup({
  name: 'access',
  legend: 'The tool can read',
  options: ACCESS,
  value: limits.access,
  after: html`<div class="scopes">${boxes}</div>`,
})}
${checkbox({
  name: 'without-personal-data',
  label: 'Leave out personal data',
  isChecked: limits.withoutPersonalData,
  hint: 'The tool gets no names, addresses, or phone numbers. Each email address becomes a pseudonym.',
})}
${selection({ name: 'ends', label: 'The key ends', options: ENDS, value: limits.ends })}
${field({ name: 'ends-on', label: 'Day', type: 'date', value: limits.endsOn, autocomplete: 'off', isRequired: false, hint: 'Only for “At the end of a day”.' })}
${field({ name: 'addresses', label: 'Network addresses of the tool', value: limits.addresses, autocomplete: 'off', isRequired: false, hint: 'Leave empty to accept the key from everywhere. Separate several with commas: 203.0.113.7, 10.0.0.0/8.' })}
</div></details>`
}

/** The values of an empty form: a key without limits. */
export const NO_LIMITS: TypedLimits = {
  access: 'everything',
  scopes: [],
  withoutPersonalData: false,
  ends: 'never',
  endsOn: '',
  addresses: '',
}

/** Returns the limits of a key as short texts; none if the key can read everything, from everywhere, without an end. */
export function limitTexts(frame: Frame, key: KeyRow): Html[] {
  const texts: Html[] = []
  const known = labels()
  if (key.scopes !== null) {
    const names = key.scopes.map((scope) => known.get(scope)?.toLowerCase() ?? scope)
    texts.push(html`Only ${new Intl.ListFormat(frame.locale).format(names)}`)
  }
  if (key.withoutPersonalData) texts.push(html`Without personal data`)
  const end = key.revokedAt === null ? endOfKey(key) : null
  if (end !== null) texts.push(html`Ends ${exactTime(end, frame)}`)
  if (key.allowedAddresses !== null) texts.push(html`Only from ${key.allowedAddresses.join(', ')}`)
  return texts
}

/** Returns the names of the scopes, as a merchant knows them. */
function labels(): ReadonlyMap<Scope, string> {
  return new Map(
    RESOURCES.flatMap((resource) => {
      const scope = scopeOf(resource)
      return scope === null ? [] : [[scope, capitalized(resource.plural)] as const]
    }),
  )
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
