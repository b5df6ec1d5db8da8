// Stores the language that a merchant chose on the account page.

import { setMerchantLanguage } from '@store-export/control'
import type { FormFields } from '../security/form-body.ts'
import { findLanguage } from '../texts/languages.ts'
import type { HandlerResult, MerchantRequest } from './dashboard-request.ts'
import { flashCookie } from './flash.ts'

/** The flash message of a saved language. */
export const LANGUAGE_SAVED = 'language'

/**
 * POST /account/language: stores the language. An unknown one, such as an empty choice, deletes the stored language,
 * and pages use that of the browser.
 */
export async function setLanguage(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  const { services, session } = request
  await setMerchantLanguage(services.database, session.merchantId, findLanguage(form.language))
  const to = form.store === undefined ? '/account' : `/account?${new URLSearchParams({ store: form.store })}`
  return { to, cookies: [flashCookie(request, LANGUAGE_SAVED)] }
}
