import type { Frame } from '../pages/models.ts'

/** Returns the paths of a store. IDs are percent-encoded. Lists are not, because their names are from the contract. */
export function storePaths(storeId: string): StorePaths {
  const base = `/stores/${encodeURIComponent(storeId)}`
  const members = `${base}/settings/members`
  const keys = `${base}/settings/api/keys`
  const key = (id: string) => `${keys}/${encodeURIComponent(id)}`
  return {
    general: `${base}/settings/general`,
    api: `${base}/settings/api`,
    activity: `${base}/settings/activity`,
    activityFile: `${base}/settings/activity.csv`,
    members,
    leave: `${members}/leave`,
    twoFactorRule: `${members}/two-factor`,
    twoFactorRuleOn: `${members}/two-factor/on`,
    twoFactorRuleOff: `${members}/two-factor/off`,
    directory: `${members}/directory`,
    directoryTokens: `${members}/directory/tokens`,
    revokeDirectoryToken: (id) => `${members}/directory/tokens/${encodeURIComponent(id)}/revoke`,
    memberRole: (id) => `${members}/${encodeURIComponent(id)}/role`,
    removeMember: (id) => `${members}/${encodeURIComponent(id)}/remove`,
    invitations: `${members}/invitations`,
    sendInvitation: (id) => `${members}/invitations/${encodeURIComponent(id)}/send`,
    withdrawInvitation: (id) => `${members}/invitations/${encodeURIComponent(id)}/withdraw`,
    live: `${base}/settings/api/live`,
    keys,
    revoke: (id) => `${key(id)}/revoke`,
    replace: (id) => `${key(id)}/replace`,
    rename: (id) => `${key(id)}/rename`,
    permissions: (id) => `${key(id)}/permissions`,
    turnOff: (id) => `${key(id)}/turn-off`,
    turnOn: (id) => `${key(id)}/turn-on`,
    created: (id) => `${key(id)}/created`,
    createdLive: (id) => `${key(id)}/created/live`,
    usage: `${base}/usage`,
    keyUsage: (id) => `${base}/usage/keys/${encodeURIComponent(id)}`,
    keyEmails: (id) => `${base}/usage/keys/${encodeURIComponent(id)}/emails`,
    keyLog: (id) => `${base}/usage/keys/${encodeURIComponent(id)}/log.csv`,
    data: (list) => `${base}/data/${list}`,
    dataRow: (list, id) => `${base}/data/${list}/${encodeURIComponent(id)}`,
    recipes: `${base}/recipes`,
  }
}

/**
 * URL paths of the pages, forms, and files of one store. The functions return paths for one key, directory token,
 * member, invitation, list, or row. `live` and `createdLive` are parts of a page that htmx polls. `activityFile` and
 * `keyLog` are CSV files.
 */
export interface StorePaths {
  readonly general: string
  readonly api: string
  readonly activity: string
  readonly activityFile: string
  readonly members: string
  readonly leave: string
  readonly twoFactorRule: string
  readonly twoFactorRuleOn: string
  readonly twoFactorRuleOff: string
  readonly directory: string
  readonly directoryTokens: string
  readonly revokeDirectoryToken: (tokenId: string) => string
  readonly memberRole: (merchantId: string) => string
  readonly removeMember: (merchantId: string) => string
  readonly invitations: string
  readonly sendInvitation: (invitationId: string) => string
  readonly withdrawInvitation: (invitationId: string) => string
  readonly live: string
  readonly keys: string
  readonly revoke: (keyId: string) => string
  readonly replace: (keyId: string) => string
  readonly rename: (keyId: string) => string
  readonly permissions: (keyId: string) => string
  readonly turnOff: (keyId: string) => string
  readonly turnOn: (keyId: string) => string
  readonly created: (keyId: string) => string
  readonly createdLive: (keyId: string) => string
  readonly usage: string
  readonly keyUsage: (keyId: string) => string
  readonly keyEmails: (keyId: string) => string
  readonly keyLog: (keyId: string) => string
  readonly data: (list: string) => string
  readonly dataRow: (list: string, rowId: string) => string
  readonly recipes: string
}

/** Returns the paths of the frame's store. Throws on a page without a store. */
export function pathsOf(frame: Pick<Frame, 'store'>): StorePaths {
  if (frame.store === null) throw new Error('this page has no store')
  return storePaths(frame.store.id)
}
