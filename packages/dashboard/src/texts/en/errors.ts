// Texts of error pages.

export const errors = () => ({
  notFound: {
    heading: 'Page not found',
    text: 'The link may be out of date, or your account may not have access to this store.',
  },
  forbidden: {
    heading: 'Your role doesn’t include this',
    changeKeys:
      'You are a viewer of this store, so you can’t change its keys. Nothing was changed. The list of members says who is an admin or a developer and can help.',
    changeMembers: (role: string) =>
      `You are a ${role.toLowerCase()} of this store, so you can’t change its members. Nothing was changed. The list of members says who is an admin and can help.`,
    data: 'You are a viewer of this store. Viewers see its keys and their usage, but no data of customers. An admin of the store can change your role.',
    goToMembers: 'See the members',
    goToUsage: 'See the usage',
  },
  secondFactor: {
    heading: 'This store requires two-factor sign-in',
    text: 'An admin of the store decided that. Turn on two-factor sign-in for your account, and open the store again. If you have a passkey or use the sign-in of your platform, sign out and sign in with it.',
    openAccount: 'Turn on two-factor sign-in',
  },
  repeatedForm: {
    heading: 'This form was already sent',
    text: 'We processed it once and didn’t repeat it. Open the page to see the result.',
  },
  rejectedForm: {
    heading: 'This form has expired',
    text: 'The page was open for too long, or you have signed in again since. Nothing was changed. Open the page again and resend the form.',
  },
  unreadableForm: {
    heading: 'We couldn’t read this form',
    /** By HTTP status. */
    text: {
      400: 'Nothing was changed, because the form arrived incomplete. Open the page again and resend the form.',
      413: 'Nothing was changed, because the form is too long. Open the page again, shorten its fields, and resend the form.',
      415: 'Nothing was changed, because this isn’t a form of the dashboard. Open the page again and send its form.',
    },
  },
  internal: {
    heading: 'Something went wrong on our side',
    databaseUnreachable:
      'We can’t reach our database. Until this is fixed, requests of your tools can fail, too, with status 502. Your keys stay valid.',
    page: 'An internal error occurred while we loaded this page. It didn’t change your keys.',
    form: 'An internal error occurred while we processed your form.',
    checkBeforeResend: 'Your change may have been saved. Check before you send the form again.',
    tryAgainLater: 'Try again in a minute.',
    requestId: (requestId: string) =>
      `If the error persists, give your platform’s support this request ID: ${requestId}`,
  },
  signIn: 'Sign in',
  goToStores: 'Go to your stores',
  openPage: 'Open the page',
  openPageAgain: 'Open the page again',
  tryAgain: 'Try again',
})

export type ErrorsTexts = ReturnType<typeof errors>
