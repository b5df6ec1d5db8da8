// Renders the choice of the language on the account page.

import { LANGUAGES } from '../texts/languages.ts'
import { type Option, selection } from '../ui/choices.ts'
import { card } from '../ui/components.ts'
import { button, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import type { AccountPage, Frame } from './models.ts'

/** Returns the card with the languages, each under its name in that language, and the language of the browser. */
export function languageCard(frame: Frame, { chosenLanguage, storeId }: AccountPage): Html {
  const { title, note, label, ofBrowser, save } = frame.texts.account.language
  const languages = Object.entries(LANGUAGES).map(
    ([value, { name }]): Option => ({ value, label: name, language: value }),
  )
  const options = [{ value: '', label: ofBrowser }, ...languages]
  const store = storeId === null ? NOTHING : html`<input type="hidden" name="store" value="${storeId}">`
  const choice = selection({ name: 'language', label, options, value: chosenLanguage ?? '' })
  return card(
    { id: 'language-title', title, note },
    form({ action: '/account/language', frame }, html`${store}${choice}${button(save, 'plain')}`),
  )
}
