// The English texts. Their type defines which texts every language has.

import type { Format } from '../format.ts'
import { account } from './account.ts'
import { activity } from './activity.ts'
import { changeKey } from './change-key.ts'
import { common } from './common.ts'
import { contract } from './contract.ts'
import { createKey } from './create-key.ts'
import { data } from './data.ts'
import { directory } from './directory.ts'
import { emails } from './emails.ts'
import { errors } from './errors.ts'
import { general } from './general.ts'
import { invitation } from './invitation.ts'
import { keyCreated } from './key-created.ts'
import { keyHealth } from './key-health.ts'
import { keyUsage } from './key-usage.ts'
import { keys } from './keys.ts'
import { layout } from './layout.ts'
import { members } from './members.ts'
import { passkeys } from './passkeys.ts'
import { recipes } from './recipes.ts'
import { roles } from './roles.ts'
import { script } from './script.ts'
import { signIn } from './sign-in.ts'
import { stores } from './stores.ts'
import { twoFactor } from './two-factor.ts'
import { twoFactorRule } from './two-factor-rule.ts'
import { usage } from './usage.ts'

/** Returns the English texts, with numbers in the format of a variant of English. */
export const english = (format: Format) => ({
  common: common(format),
  layout: layout(),
  script: script(),
  keys: keys(format),
  createKey: createKey(format),
  keyHealth: keyHealth(format),
  keyCreated: keyCreated(format),
  changeKey: changeKey(format),
  members: members(format),
  roles: roles(),
  invitation: invitation(format),
  activity: activity(),
  stores: stores(),
  general: general(),
  data: data(format),
  contract: contract(),
  recipes: recipes(),
  usage: usage(format),
  keyUsage: keyUsage(format),
  account: account(format),
  signIn: signIn(format),
  twoFactor: twoFactor(),
  twoFactorRule: twoFactorRule(format),
  directory: directory(format),
  passkeys: passkeys(format),
  errors: errors(),
  emails: emails(format),
})

/** All texts of the dashboard in one language. */
export type Texts = ReturnType<typeof english>
