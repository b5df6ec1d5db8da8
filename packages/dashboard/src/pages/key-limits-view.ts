// Renders the limits of a key: the fields of a new key, and the facts about an existing one.

import { RESOURCES, type Scope, scopeOf } from '@store-export/contract'
import { endOfKey } from '@store-export/control'
import { checkbox, radioGroup, selection } from '../ui/choices.ts'
import { exactTime } from '../ui/dates.ts'
import { field } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import type { KeyRow, TypedLimits } from './key-models.ts'
import type { Frame } from './models.ts'

/**
 * Returns the form fields that limit a new key, in a collapsible section. The section is open after a rejected value,
 * and if any limit differs from its default.
 */
export function keyLimitsFields(
  frame: Frame,
  { limits, problem }: { limits: TypedLimits; problem: string | null },
): Html {
  const { createKey: texts } = frame.texts
  // Both objects have their members in the same order, so equal limits have equal JSON.
  const isFolded = problem === null && JSON.stringify(limits) === JSON.stringify(NO_LIMITS)
  const personalData = checkbox({
    name: 'without-personal-data',
    label: texts.withoutPersonalData,
    isChecked: limits.withoutPersonalData,
    hint: texts.withoutPersonalDataHint,
  })
  return html`<details class="limits"${isFolded ? NOTHING : html` open`}><summary>${texts.limitIt}</summary>
<div class="limits-fields">
${problem === null ? NOTHING : html`<p class="form-problem" role="alert">${problem}</p>`}
${limitInputs(frame, { limits, personalData, hasEnd: false })}
</div></details>`
}

/**
 * Returns the inputs of the limits. `personalData` is shown after the resources. `hasEnd`: whether the key has an end
 * already, so that the end can stay the same.
 */
export function limitInputs(
  frame: Frame,
  { limits, personalData, hasEnd }: { limits: TypedLimits; personalData: Html; hasEnd: boolean },
): Html {
  const { createKey: texts } = frame.texts
  const { access, end } = texts
  const boxes = [...labels(frame)].map(([scope, label]) =>
    checkbox({ name: `scope.${scope}`, label, isChecked: limits.scopes.includes(scope) }),
  )
  return html`${radioGroup({
    name: 'access',
    legend: access.legend,
    options: (['everything', 'sales', 'chosen'] as const).map((value) => ({ value, label: access[value] })),
    value: limits.access,
    after: html`<div class="scopes">${boxes}</div>`,
  })}
${personalData}
${selection({ name: 'ends', label: end.label, options: endOptions(frame, hasEnd), value: limits.ends })}
${field({ name: 'ends-on', label: end.day, type: 'date', value: limits.endsOn, autocomplete: 'off', isRequired: false, hint: end.dayHint })}
${field({ name: 'addresses', label: texts.addresses, value: limits.addresses, autocomplete: 'off', isRequired: false, hint: texts.addressesHint })}`
}

function endOptions({ texts }: Frame, hasEnd: boolean): { value: TypedLimits['ends']; label: string }[] {
  const { end } = texts.createKey
  return [
    ...(hasEnd ? [{ value: 'same', label: end.same } as const] : []),
    { value: 'never', label: end.never },
    { value: '30', label: end.after30 },
    { value: '90', label: end.after90 },
    { value: 'date', label: end.onDay },
  ]
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

/**
 * Returns the limits of a key as short texts; empty if it has none. The end of a revoked key is left out, because the
 * key has already ended.
 */
export function limitTexts(frame: Frame, key: KeyRow): Html[] {
  const { facts } = frame.texts.createKey
  const limits: Html[] = []
  const known = labels(frame)
  if (key.scopes !== null) limits.push(html`${facts.onlyScopes(key.scopes.map((scope) => known.get(scope) ?? scope))}`)
  if (key.withoutPersonalData) limits.push(html`${facts.withoutPersonalData}`)
  const end = key.revokedAt === null ? endOfKey(key) : null
  if (end !== null) limits.push(facts.ends(exactTime(end, frame)))
  if (key.allowedAddresses !== null) limits.push(html`${facts.onlyFrom(key.allowedAddresses.join(', '))}`)
  return limits
}

/** Returns the names of the scopes, as a merchant knows them. */
function labels({ texts }: Frame): ReadonlyMap<Scope, string> {
  return new Map(
    RESOURCES.flatMap((resource) => {
      const scope = scopeOf(resource)
      return scope === null ? [] : [[scope, texts.contract.name(capitalized(resource.plural))] as const]
    }),
  )
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
