// Renders the rule that all members of a store need a second factor: the card on the members' page, and the page that
// changes the rule.

import { badge, callout, card, pageHead } from '../ui/components.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { TwoFactorRulePage } from './member-models.ts'
import type { Frame } from './models.ts'

/** Returns the card of the members' page, with a link to the page that changes the rule. */
export function twoFactorRuleCard(frame: Frame, isRequired: boolean): Html {
  const { twoFactorRule: texts } = frame.texts
  const state = isRequired ? badge(texts.required, 'good') : badge(texts.optional, 'neutral')
  const change = linkButton(texts.change, pathsOf(frame).twoFactorRule)
  return card(
    { id: 'two-factor-rule', title: texts.title, note: texts.note, actions: state },
    html`<p class="actions">${change}</p>`,
  )
}

/** Returns the page that turns the rule on or off. */
export function twoFactorRuleView(frame: Frame, page: TwoFactorRulePage): Html {
  const paths = pathsOf(frame)
  const { twoFactorRule: texts, members } = frame.texts
  const head = pageHead(frame, {
    title: texts.title,
    lead: page.isRequired ? texts.leadRequired : texts.leadOptional,
    trail: [{ label: members.title, href: paths.members }],
  })
  const content = page.isRequired ? turnOff(frame, page) : turnOn(frame, page)
  const title = page.isRequired || page.isUsed ? texts.effects : texts.ownFactor
  return layout(frame, html`${head}${card({ id: 'rule', title }, content)}`)
}

/**
 * Returns the effects and the button. An admin needs a session with a second factor, because the rule applies to the
 * admin at once.
 */
function turnOn(frame: Frame, page: TwoFactorRulePage): Html {
  const paths = pathsOf(frame)
  const { twoFactorRule: texts } = frame.texts
  if (!page.isUsed)
    return html`${callout(texts.ownFirst, 'waiting')}<p class="actions">${linkButton(texts.openAccount, '/account#two-factor', { kind: 'main' })}${cancel(frame)}</p>`
  const buttons = html`<div class="actions">${button(texts.turnOn)}${cancel(frame)}</div>`
  return html`${turnOnEffects(frame, page)}<p>${texts.keysStay}</p>${form({ action: paths.twoFactorRuleOn, frame }, buttons)}`
}

function turnOnEffects({ texts }: Frame, { without, fromDirectory }: TwoFactorRulePage): Html {
  const { twoFactorRule, directory } = texts
  if (without.length === 0 && fromDirectory === 0) return html`<p>${twoFactorRule.everyoneHas}</p>`
  const list = html`<p>${twoFactorRule.without(without.length)}</p><ul class="bullets">${without.map((email) => html`<li>${email}</li>`)}</ul>`
  const others = fromDirectory === 0 ? NOTHING : html`<p>${directory.member.secondFactor(fromDirectory)}</p>`
  return html`${without.length === 0 ? NOTHING : list}${others}`
}

function turnOff(frame: Frame, { confirmBy, isFresh, problem }: TwoFactorRulePage): Html {
  const paths = pathsOf(frame)
  const { twoFactorRule: texts, twoFactor } = frame.texts
  const effect = html`<p>${texts.turnOffEffect}</p>`
  if (confirmBy === 'sign-in' && !isFresh)
    return html`${effect}${callout(texts.signInAgain, 'waiting')}<p class="actions">${cancel(frame)}</p>`
  const code = field({
    ...{ name: 'code', label: twoFactor.code, hint: twoFactor.setUp.codeHint, problem },
    ...{ autocomplete: 'one-time-code', lengthMax: 20 },
  })
  const fields = confirmBy === 'code' ? code : NOTHING
  const buttons = html`<div class="actions">${button(texts.turnOff, 'danger-main')}${cancel(frame)}</div>`
  return html`${effect}${form({ action: paths.twoFactorRuleOff, frame }, html`${fields}${buttons}`)}`
}

function cancel(frame: Frame): Html {
  return linkButton(frame.texts.common.cancel, pathsOf(frame).members)
}
