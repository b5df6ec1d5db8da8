// Checks whether a form comes from this dashboard, and finds a page from which it can be opened again.

import type { DashboardRequest } from './dashboard-request.ts'

/**
 * Whether the browser says that the form comes from a page of the dashboard. A browser without the header
 * Sec-Fetch-Site passes if its Origin header is right.
 */
export function isOwnForm({ context, services }: DashboardRequest): boolean {
  const origin = context.req.header('origin') ?? null
  const site = context.req.header('sec-fetch-site') ?? 'same-origin'
  return services.origins.isOwnOrigin(origin) && site === 'same-origin'
}

/**
 * Returns the path of a page that contains the form with this action, or that leads to it: for a form about one key or
 * one member, the page with all of them. This page also exists if the key or the member doesn't any more. Returns `/`
 * for the forms that sign in or out, and for those of links in emails.
 */
export function formPage(path: string): string {
  return path
    .replace(/\/keys(\/.*)?$/, '')
    .replace(/\/settings\/members\/.*$/, '/settings/members')
    .replace(/^\/account\/.*$/, '/account')
    .replace(/^\/(link|invitation|mute|sign-in|sign-out)(\/oidc|\/code|\/passkey(\/challenge)?)?$/, '/')
}
