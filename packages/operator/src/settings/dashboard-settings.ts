// Settings of the dashboard. The command `merchants link` and the admin API also use its address and the lifetime of
// links. Requests of the export API don't depend on these settings.

import type { Setting } from './setting.ts'

export const DASHBOARD_SETTINGS = {
  dashboardPort: {
    env: 'STORE_EXPORT_DASHBOARD_PORT',
    kind: 'integer',
    default: 8081,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'Port of the dashboard. 0 selects any free port.',
  },
  dashboardUrl: {
    env: 'STORE_EXPORT_DASHBOARD_URL',
    kind: 'string',
    default: null,
    help: 'Address at which merchants open the dashboard: https://dashboard.example.com. Without this setting, the dashboard works only on the machine of the node. If the host name of this address changes, passkeys stop working.',
  },
  dashboardFrameAncestors: {
    env: 'STORE_EXPORT_DASHBOARD_FRAME_ANCESTORS',
    kind: 'string',
    default: null,
    help: 'Origins whose pages may show the dashboard in a frame, separated by commas: https://admin.example.com. Without this setting, no page can show the dashboard in a frame.',
  },
  dashboardProxies: {
    env: 'STORE_EXPORT_DASHBOARD_PROXIES',
    kind: 'integer',
    default: 0,
    unit: 'proxies',
    min: 0,
    max: 10,
    help: 'Number of proxies in front of the dashboard that append to X-Forwarded-For. With 0, all clients behind a proxy share one sign-in limit.',
  },
  sessionDays: {
    env: 'STORE_EXPORT_SESSION_DAYS',
    kind: 'integer',
    default: 7,
    unit: 'days',
    min: 1,
    max: 365,
    help: 'Time after which an unused dashboard session ends, at most an hour early.',
  },
  linkMinutes: {
    env: 'STORE_EXPORT_LINK_MINUTES',
    kind: 'integer',
    default: 1440,
    unit: 'minutes',
    min: 1,
    max: 43_200,
    help: 'Lifetime of a one-time sign-in link. For a single link, `merchants link` has the option --minutes.',
  },
  smtpUrl: {
    env: 'STORE_EXPORT_SMTP_URL',
    kind: 'secret',
    default: null,
    help: "SMTP server for emails to merchants: smtp://user:password@mail.example.com:587 or smtps://…:465. Without this setting, the service sends no emails, and merchants can't invite others.",
  },
  mailFrom: {
    env: 'STORE_EXPORT_MAIL_FROM',
    kind: 'string',
    default: null,
    help: 'Sender of emails: Store export <export@example.com>. Required with STORE_EXPORT_SMTP_URL.',
  },
  oidcIssuer: {
    env: 'STORE_EXPORT_OIDC_ISSUER',
    kind: 'string',
    default: null,
    help: 'Issuer URL of the OpenID Connect provider for sign-in to the dashboard: https://login.example.com. Requires the client ID and the client secret.',
  },
  oidcClientId: {
    env: 'STORE_EXPORT_OIDC_CLIENT_ID',
    kind: 'string',
    default: null,
    help: 'Client ID of the dashboard at the OpenID Connect provider. Register the redirect URI <dashboard>/sign-in/oidc/callback there.',
  },
  oidcClientSecret: {
    env: 'STORE_EXPORT_OIDC_CLIENT_SECRET',
    kind: 'secret',
    default: null,
    help: 'Client secret of the dashboard at the OpenID Connect provider.',
  },
  oidcStoresClaim: {
    env: 'STORE_EXPORT_OIDC_STORES_CLAIM',
    kind: 'string',
    default: null,
    help: 'Name of the claim (member of the ID token or user info) in which the OpenID Connect provider lists the stores of a merchant. Without this setting, you add merchants to stores yourself.',
  },
  oidcLabel: {
    env: 'STORE_EXPORT_OIDC_LABEL',
    kind: 'string',
    default: 'Sign in with your platform account',
    help: 'Text of the button for sign-in with the OpenID Connect provider.',
  },
} as const satisfies Record<string, Setting>
