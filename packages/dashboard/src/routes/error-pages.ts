// Creates the error pages with their statuses.

import type { Permission } from '../members/permissions.ts'
import { errorView } from '../pages/error-view.ts'
import type { ErrorPage } from '../pages/models.ts'
import type { FormError } from '../security/form-body.ts'
import type { Html } from '../ui/html.ts'
import { storePaths } from '../ui/store-paths.ts'
import {
  type DashboardRequest,
  frameOf,
  type MerchantRequest,
  type PageResult,
  type StoreRequest,
} from './dashboard-request.ts'

/**
 * Returns the 404 page. Requests for stores of other merchants get it, too, so that the response does not reveal which
 * stores exist.
 */
export function notFoundPage(request: DashboardRequest): PageResult {
  const { notFound, signIn, goToStores } = request.texts.errors
  const next = request.session === null ? { label: signIn, href: '/sign-in' } : { label: goToStores, href: '/' }
  return { status: 404, html: errorHtml(request, { ...notFound, next }) }
}

/**
 * Returns the page for a member whose role lacks the permission `needs`, with who can help. Every role has the
 * permission `see usage`, so no member gets this page for it.
 */
export function forbiddenPage(request: StoreRequest, needs: Permission): PageResult {
  const { forbidden } = request.texts.errors
  const isKeys = needs === 'manage keys' || needs === 'see usage'
  const change = isKeys ? forbidden.changeKeys : forbidden.changeMembers(request.texts.roles.names[request.store.role])
  const text = needs === 'see data' ? forbidden.data : change
  const paths = storePaths(request.store.id)
  const next =
    needs === 'see data'
      ? { label: forbidden.goToUsage, href: paths.usage }
      : { label: forbidden.goToMembers, href: paths.members }
  return { status: 403, html: errorHtml(request, { heading: forbidden.heading, text, next }) }
}

/**
 * Returns the page for a session without a second factor, in a store that requires one. It shows nothing of the store.
 */
export function secondFactorPage(request: MerchantRequest): PageResult {
  const { secondFactor } = request.texts.errors
  const next = { label: secondFactor.openAccount, href: '/account#two-factor' }
  return { status: 403, html: errorHtml(request, { ...secondFactor, next }) }
}

/** Returns the page for a form whose token is used up. `href` is the path of the form's page. */
export function repeatedFormPage(request: DashboardRequest, href: string): PageResult {
  const { repeatedForm, openPage } = request.texts.errors
  return { status: 409, html: errorHtml(request, { ...repeatedForm, next: { label: openPage, href } }) }
}

/** Returns the page for a form of another session or site, or with an expired token. */
export function rejectedFormPage(request: DashboardRequest, href: string): PageResult {
  const { rejectedForm, openPageAgain } = request.texts.errors
  return { status: 403, html: errorHtml(request, { ...rejectedForm, next: { label: openPageAgain, href } }) }
}

/** Returns the page for a form that `readForm` rejected. */
export function unreadableFormPage(request: DashboardRequest, { status }: FormError, href: string): PageResult {
  const { unreadableForm, openPageAgain } = request.texts.errors
  const text = unreadableForm.text[status]
  return { status, html: errorHtml(request, { ...unreadableForm, text, next: { label: openPageAgain, href } }) }
}

/**
 * Returns the page for an internal error. If the control database is unreachable, the page adds that API requests can
 * fail, too. After a form, the dashboard can't know whether it has saved the change.
 */
export function errorPage(request: DashboardRequest, isTemporary: boolean): PageResult {
  const { internal, goToStores, tryAgain } = request.texts.errors
  const isForm = request.context.req.method === 'POST'
  const why = isTemporary ? internal.databaseUnreachable : isForm ? internal.form : internal.page
  const then = isForm ? internal.checkBeforeResend : internal.tryAgainLater
  const page = {
    ...internal,
    text: `${why} ${then} ${internal.requestId(request.requestId)}`,
    next: isForm ? { label: goToStores, href: '/' } : { label: tryAgain, href: request.context.req.path },
  }
  return { status: isTemporary ? 503 : 500, html: errorHtml(request, page) }
}

function errorHtml(request: DashboardRequest, page: ErrorPage): Html {
  return errorView(frameOf(request, { title: page.heading }), page)
}
