// Finds out where a form comes from: whether from this dashboard, and from which of its pages.

import type { DashboardRequest } from './dashboard-request.ts'

/** Whether the browser says that the form comes from a page of the dashboard. */
export function isOwnForm({ context, services }: DashboardRequest): boolean {
  const origin = context.req.header('origin') ?? null
  const site = context.req.header('sec-fetch-site') ?? 'same-origin'
  return services.origins.isOwnOrigin(origin) && site === 'same-origin'
}

/** Returns the path of the page that contains the form with this action. */
export function formPage(path: string): string {
  return path
    .replace(/\/keys(\/.*)?$/, '')
    .replace(/\/settings\/members\/.*$/, '/settings/members')
    .replace(/^\/account\/.*$/, '/account')
    .replace(/^\/(link|invitation|mute|sign-in|sign-out)(\/oidc|\/code|\/passkey(\/challenge)?)?$/, '/')
}
