// Texts of the rule that the members of a store need two-factor sign-in.

import type { Format } from '../format.ts'

export const twoFactorRule = ({ plural }: Format) => ({
  title: 'Two-factor sign-in of all members',
  note: 'Members without two-factor sign-in, a passkey, or the sign-in of your platform can’t open a store that requires it.',
  required: 'Required',
  optional: 'Optional',
  change: 'Change',
  leadOptional: 'You can require two-factor sign-in of all members of this store.',
  leadRequired: 'All members of this store need two-factor sign-in.',
  effects: 'What happens',
  ownFactor: 'Your second factor',
  ownFirst:
    'You haven’t signed in with a second factor. First turn on two-factor sign-in for your account, or sign in with a passkey or at your platform.',
  openAccount: 'Open your account',
  everyoneHas: 'All members have a second factor. If they sign in without it, they can’t open the store.',
  without: (members: number) =>
    plural(members, {
      one: '# member can’t open the store until the member turns on two-factor sign-in:',
      other: '# members can’t open the store until they turn on two-factor sign-in:',
    }),
  keysStay: 'Keys and their tools continue to work.',
  turnOn: 'Require two-factor sign-in',
  turnOffEffect:
    'If you no longer require two-factor sign-in, a stolen password alone opens this store for some members.',
  signInAgain:
    'To confirm this, sign out, sign in again with your second factor, and return to this page within ten minutes.',
  turnOff: 'No longer require it',
  turnedOn: 'All members now need two-factor sign-in.',
  turnedOff: 'Two-factor sign-in is no longer required.',
})

export type TwoFactorRuleTexts = ReturnType<typeof twoFactorRule>
