// Writes the emails about a key, and about a token of a directory, that a secret scanner found in public.

import type { Leak, LeakedKeyAlert, MemberRole, RevokedTokenAlert } from '@store-export/control'
import { includesPermission } from '../members/permissions.ts'
import type { EmailsTexts } from '../texts/en/emails.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { Email } from './mailer.ts'

/** The recipient of the email, and what its text depends on. */
export interface LeakEmailOptions {
  readonly to: string
  /** The role of the recipient in the store. */
  readonly role: MemberRole
  /** Texts in the language of the recipient. */
  readonly texts: EmailsTexts['leaked']
  readonly dashboardUrl: string
}

/** Returns the email. Merchants can't stop these emails, because the tool of the key no longer works. */
export function leakEmail(leak: LeakedKeyAlert, { to, role, texts, dashboardUrl }: LeakEmailOptions): Email {
  const { keyId, name, prefix, lastFour, storeId, storeName } = leak
  const paths = storePaths(storeId)
  const text = [
    texts.sentence(name),
    texts.facts(storeName, `${name} (${prefix}…${lastFour})`, placeText(leak, texts)),
    includesPermission(role, 'manage keys')
      ? texts.createKey(`${dashboardUrl}${paths.api}`)
      : texts.askAdmin(`${dashboardUrl}${paths.members}`),
    texts.seeUsage(`${dashboardUrl}${paths.keyUsage(keyId)}`),
    texts.removeKey,
  ].join('\n\n')
  return { to, subject: texts.subject(storeName, name), text: `${text}\n` }
}

/** The recipient of the email about a token, an admin of the store, and what its text depends on. */
export interface TokenLeakEmailOptions extends Pick<LeakEmailOptions, 'to' | 'dashboardUrl'> {
  readonly texts: EmailsTexts['leakedToken']
}

/** Returns the email about a token. Admins can't stop these emails, because the token no longer works. */
export function tokenLeakEmail(leak: RevokedTokenAlert, { to, texts, dashboardUrl }: TokenLeakEmailOptions): Email {
  const { prefix, lastFour, storeId, storeName } = leak
  const paths = storePaths(storeId)
  const text = [
    texts.sentence,
    texts.facts(storeName, `${prefix}…${lastFour}`, placeText(leak, texts)),
    texts.checkMembers(`${dashboardUrl}${paths.members}`),
    texts.seeActivity(`${dashboardUrl}${paths.activity}`),
    texts.createToken(`${dashboardUrl}${paths.directory}`),
    texts.removeToken,
  ].join('\n\n')
  return { to, subject: texts.subject(storeName), text: `${text}\n` }
}

/** Returns where the scanner found the secret: the URL, the kind of the place, or both; a phrase if it sent neither. */
function placeText({ url, source }: Leak, texts: { readonly unknownPlace: string }): string {
  const kind = source.replaceAll('_', ' ')
  if (url === '') return kind === '' ? texts.unknownPlace : kind
  return kind === '' ? url : `${url} (${kind})`
}
