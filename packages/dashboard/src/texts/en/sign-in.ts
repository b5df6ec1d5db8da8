// Texts of the sign-in: by password, by link, and by single sign-on.

import { html } from '../../ui/html.ts'
import type { Format } from '../format.ts'

export const signIn = ({ plural }: Format) => ({
  title: 'Sign in',
  lead: 'Create API keys for your tools and see how they’re used.',
  email: 'Email',
  password: 'Password',
  button: 'Sign in',
  noPassword: 'No password, or forgot it? Ask your platform’s support for a sign-in link.',
  link: {
    title: 'Sign in with this link',
    lead: 'The link works once and expires soon. If you forgot your password, use the link, then set a new password under “Your account” within ten minutes.',
    otherSession: (email: string) =>
      html`This browser is signed in as <strong>${email}</strong>. If you use the link, that account is signed out.`,
    stay: (email: string) => `Stay signed in as ${email}`,
  },
  redirect: {
    title: 'Redirecting…',
    lead: (host: string) => `You sign in at ${host}. Then you come back here.`,
    button: 'Continue',
  },
  problems: {
    wrong: 'The email address or the password is wrong.',
    late: 'Your session ended, so the form was not processed. Sign in to continue. If you just changed your password, use the new one.',
    linkUsed: 'This link was already used or has expired. Ask your platform’s support for a new one.',
    rateLimited: (seconds: number) => {
      const wait =
        seconds < 90
          ? plural(seconds, { one: '# second', other: '# seconds' })
          : plural(Math.ceil(seconds / 60), { one: '# minute', other: '# minutes' })
      return `Too many attempts. Wait ${wait} and try again, or ask your platform’s support for a sign-in link.`
    },
    singleSignOn: {
      unknown: 'No account here has your verified email address. Contact your platform’s support.',
      declined: 'You canceled the sign-in, so you’re not signed in.',
      broken: 'The sign-in didn’t complete. Try again.',
      unreachable: 'Single sign-on isn’t responding right now. Try again in a minute, or sign in with your password.',
    },
  },
})

export type SignInTexts = ReturnType<typeof signIn>
