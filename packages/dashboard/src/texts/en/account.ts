// Texts of the account page: language, password, and sessions.

import type { Format } from '../format.ts'

export const account = ({ plural }: Format) => ({
  title: 'Your account',
  language: {
    title: 'Language',
    note: 'The language of the dashboard and of your emails.',
    label: 'Language',
    ofBrowser: 'The language of your browser',
    save: 'Save language',
    saved: 'Your language is saved.',
  },
  password: {
    title: 'Password',
    noteChange: 'Changing your password signs out your other browsers.',
    noteSet: 'You have no password yet. Set one to sign in without a link.',
    current: 'Current password',
    next: 'New password',
    hint: (lengthMin: number) =>
      `At least ${lengthMin} characters. Several random words are easy to remember and hard to guess.`,
    change: 'Change password',
    set: 'Set password',
    changed: 'Your password is changed, and your other browsers are signed out.',
    problems: {
      current: 'This isn’t your current password.',
      tooShort: (lengthMin: number) => `Use at least ${lengthMin} characters.`,
      tooLong: (lengthMax: number) => `Use at most ${lengthMax} characters.`,
      rateLimited: (seconds: number) =>
        `Too many attempts. Wait ${plural(seconds, { one: '# second', other: '# seconds' })} and try again.`,
    },
  },
  sessions: {
    title: 'Where you’re signed in',
    note: 'If you don’t recognize a browser, sign out everywhere, change your password, and check your passkeys.',
    browser: 'Browser',
    signedIn: 'Signed in',
    thisBrowser: 'This browser',
    signOutOthers: 'Sign out other browsers',
    othersSignedOut: 'Your other browsers are signed out.',
    signOutEverywhere: 'Sign out everywhere',
    aBrowser: 'A browser',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
  },
})

export type AccountTexts = ReturnType<typeof account>
