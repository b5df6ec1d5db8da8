// Creates the error pages: not found, rejected forms, internal errors.

import { errorView } from '../pages/error-view.ts'
import type { FormError } from '../security/form-body.ts'
import { type DashboardRequest, frameOf, type PageResult } from './dashboard-request.ts'

/** Returns the page for an unknown path, and for a store of another merchant, so that it does not reveal stores. */
export function notFoundPage(request: DashboardRequest): PageResult {
  const page = {
    heading: 'Page not found',
    text: 'The link may be out of date, or your account may not have access to this store.',
    next: request.session === null ? { label: 'Sign in', href: '/sign-in' } : { label: 'Go to your stores', href: '/' },
  }
  return { status: 404, html: errorView(frameOf(request, { title: page.heading }), page) }
}

/** Returns the page for a form whose token is used up. `next` is the path of the form's page. */
export function repeatedFormPage(request: DashboardRequest, next: string): PageResult {
  const page = {
    heading: 'This form was already sent',
    text: 'We processed it once and didn’t repeat it. Open the page to see the result.',
    next: { label: 'Open the page', href: next },
  }
  return { status: 409, html: errorView(frameOf(request, { title: page.heading }), page) }
}

/** Returns the page for a form of another session or site, or with an expired token. */
export function rejectedFormPage(request: DashboardRequest, next: string): PageResult {
  const page = {
    heading: 'This form has expired',
    text: 'The page was open for too long, or you have signed in again since. Nothing was changed. Open the page again and resend the form.',
    next: { label: 'Open the page again', href: next },
  }
  return { status: 403, html: errorView(frameOf(request, { title: page.heading }), page) }
}

/** Returns the page for a body that is not a form. */
export function unreadableFormPage(
  request: DashboardRequest,
  { status, message }: FormError,
  next: string,
): PageResult {
  const page = {
    heading: 'We couldn’t read this form',
    text: `Nothing was changed. Reason: ${message}. Open the page again and resend the form.`,
    next: { label: 'Open the page again', href: next },
  }
  return { status, html: errorView(frameOf(request, { title: page.heading }), page) }
}

/**
 * Returns the page for an internal error. If the control database is unreachable, the page adds that API requests fail
 * too. After a form, the dashboard can't know whether it has saved the change.
 */
export function errorPage(request: DashboardRequest, isTemporary: boolean): PageResult {
  const isForm = request.context.req.method === 'POST'
  const why = isTemporary
    ? 'We can’t reach our database. Until this is fixed, requests of your tools also fail, with status 502. Your keys stay valid.'
    : 'An internal error occurred while we loaded this page. It didn’t change your keys.'
  const whyForm = isTemporary ? why : 'An internal error occurred while we processed your form.'
  const next = isForm
    ? 'Your change may have been saved. Check before you send the form again.'
    : 'Try again in a minute.'
  const page = {
    heading: 'Something went wrong on our side',
    text: `${isForm ? whyForm : why} ${next} If the error persists, give your platform’s support this request ID: ${request.requestId}`,
    next: isForm ? { label: 'Go to your stores', href: '/' } : { label: 'Try again', href: request.context.req.path },
  }
  return { status: isTemporary ? 503 : 500, html: errorView(frameOf(request, { title: page.heading }), page) }
}
