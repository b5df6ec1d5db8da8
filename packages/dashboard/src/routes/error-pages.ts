// Pages on which something ends: what is not there, a form that cannot be taken, a fault.

import { errorView } from '../pages/error-view.ts'
import type { FormError } from '../security/form-body.ts'
import { type DashboardRequest, frameOf, type PageResult } from './dashboard-request.ts'

/** There is no such page; a store that is not the viewer's answers the same. */
export function notFoundPage(request: DashboardRequest): PageResult {
  const page = {
    heading: 'This page is not there',
    text: 'The address may be old, or belong to a store that your account does not have.',
    next: request.session === null ? { label: 'Sign in', href: '/sign-in' } : { label: 'Go to your stores', href: '/' },
  }
  return { status: 404, html: errorView(frameOf(request, { title: 'Not found' }), page) }
}

/** The page for a form that was sent before: its token counts once. */
export function repeatedFormPage(request: DashboardRequest, next: string): PageResult {
  const page = {
    heading: 'This form was processed before',
    text: 'It counts once, so nothing was done again. The page shows what the form did the first time.',
    next: { label: 'Open the page', href: next },
  }
  return { status: 409, html: errorView(frameOf(request, { title: 'Sent before' }), page) }
}

/** The form is not of this session, too old, or from another site. */
export function rejectedFormPage(request: DashboardRequest, next: string): PageResult {
  const page = {
    heading: 'This form cannot be taken',
    text: 'It lay open for too long, or you have signed in anew since. Nothing was changed: open the page again and send it from there.',
    next: { label: 'Open the page again', href: next },
  }
  return { status: 403, html: errorView(frameOf(request, { title: 'Form refused' }), page) }
}

/** What was sent is no form that could be read. */
export function unreadableFormPage(
  request: DashboardRequest,
  { status, message }: FormError,
  next: string,
): PageResult {
  const page = {
    heading: 'This form could not be read',
    text: `Nothing was changed: ${message}. Open the page again and send it from there.`,
    next: { label: 'Open the page again', href: next },
  }
  return { status, html: errorView(frameOf(request, { title: 'Form unreadable' }), page) }
}

/**
 * The page of an internal error. Without its own database, the service fails API requests too, so the page says so.
 * After a form it is unknown whether the change was saved.
 */
export function errorPage(request: DashboardRequest, isPassing: boolean): PageResult {
  const isForm = request.context.req.method === 'POST'
  const why = isPassing
    ? 'The service can’t reach its own database. Until it can, requests of your tools fail, too, with status 502. Your keys stay valid.'
    : 'This page failed because of an error in the service. Your keys were not changed by it.'
  const whyForm = isPassing ? why : 'The service failed while it processed your form.'
  const next = isForm
    ? 'Your change may have been saved: check it before you send the form again.'
    : 'Try again in a minute.'
  const page = {
    heading: 'Something went wrong on our side',
    text: `${isForm ? whyForm : why} ${next} If the error stays, give this number to the operator of your platform: ${request.requestId}`,
    next: isForm ? { label: 'Look at your stores', href: '/' } : { label: 'Try again', href: request.context.req.path },
  }
  return { status: isPassing ? 503 : 500, html: errorView(frameOf(request, { title: 'Fault' }), page) }
}
