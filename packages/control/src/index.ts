// Exports the control database: stores, API keys, admission, merchants, usage, secrets, and migrations.

export { type Admission, admit, type PresentedKey } from './access/admission.ts'
export { type Admitter, ControlDatabaseError, createAdmitter } from './access/admitter.ts'
export { HashedKey, hashApiKey, makeApiKey, PlainKey, parseApiKey } from './access/api-key.ts'
export {
  type ChangeablePermissions,
  changePermissions,
  type PermissionsOutcome,
} from './access/change-permissions.ts'
export { clientAddress } from './access/client-address.ts'
export {
  createKey,
  KeyLimitReached,
  KeyNameTaken,
  KeyNotReplaceable,
  type NewKey,
  REPLACED_KEY_HOURS,
  type ReplacedKeyHours,
} from './access/create-key.ts'
export {
  admitDirectory,
  createDirectoryToken,
  DIRECTORY_TOKENS_MAX,
  type DirectoryAccess,
  type DirectoryToken,
  DirectoryTokenLimitReached,
  findDirectoryToken,
  listDirectoryTokens,
  makeDirectoryToken,
  parseDirectoryToken,
  revokeDirectoryToken,
} from './access/directory-tokens.ts'
export { checkKeyName, InvalidKeyNameError } from './access/key-name.ts'
export {
  ADDRESSES_MAX,
  ALL_PERMISSIONS,
  checkPermissions,
  InvalidKeyPermissionError,
  isNetwork,
  type KeyPermissions,
  LATEST_END,
} from './access/key-permissions.ts'
export {
  endExpiredKeys,
  endOfKey,
  findKeyByHash,
  getKey,
  hasPermissions,
  type KeySummary,
  listKeys,
  listKeysOfAllStores,
  renameKey,
  revokeKey,
} from './access/keys.ts'
export { type LeakedKey, type Revocations, revokeLeakedKeys } from './access/leaked-keys.ts'
export { switchKey } from './access/switch-key.ts'
export { merchantActor } from './accounts.ts'
export {
  ADMIN_TOKEN_PREFIX,
  type AdminTokenSummary,
  adminActor,
  createAdminToken,
  findAdminToken,
  InvalidTokenEndError,
  listAdminTokens,
  revokeAdminToken,
} from './admin-tokens.ts'
export {
  type AlertRecipient,
  claimAlert,
  claimAlertRound,
  claimTokenAlert,
  hasMutedKey,
  type KeyAlert,
  LEAKED,
  type Leak,
  type LeakedKeyAlert,
  type RevokedTokenAlert,
  readAdminRecipients,
  readAlertRecipients,
  readLeakedKeys,
  readLeakRecipients,
  readRevokedTokens,
  readStoresWithKeys,
  releaseAlert,
  releaseTokenAlert,
  setKeyMuted,
} from './alerts.ts'
export { startAuditLog } from './audit.ts'
export { type AuditEvent, type AuditPosition, readAuditEvents, recordSignInLink } from './audit-events.ts'
export { applyStoresClaim, type ClaimedStore } from './claimed-stores.ts'
export type { AuditAction, AuditRecorded, ControlEvent, ControlQueryFailed } from './control-event.ts'
export { asControlDatabase, type ControlDatabase, controlServerOf, openControlDatabase } from './database.ts'
export { DIRECTORY_ADDITIONS_PER_DAY } from './directory-accounts.ts'
export {
  addDirectoryUser,
  changeDirectoryUser,
  DIRECTORY_ROLE_DEFAULT,
  DIRECTORY_USERS_MAX,
  type DirectoryRefusal,
  type DirectoryUser,
  type DirectoryUserChange,
  type DirectoryUserFilter,
  listDirectoryUsers,
  type NewDirectoryUser,
  readDirectoryUser,
  removeDirectoryUser,
} from './directory-users.ts'
export { distribute, isDistributed, repairAdmissions } from './distribute.ts'
export {
  type FailingStore,
  type FleetNode,
  type FleetServer,
  type FleetStatus,
  type LimitedKey,
  readFleetStatus,
  type SlowStore,
  type StoreCount,
} from './fleet.ts'
export { consumeFormToken, deleteFormTokens } from './form-tokens.ts'
export {
  abandonRequest,
  beginRequest,
  completeRequest,
  deleteOldResponses,
  HEARTBEAT_MS,
  type IdempotencyOutcome,
  type IdempotentRequest,
  idempotentRequest,
  keepRequest,
  type RequestRun,
  type StoredResponse,
} from './idempotency.ts'
export {
  acceptInvitation,
  acceptInvitationsOf,
  deleteOldInvitations,
  findInvitation,
  INVITATION_DAYS,
  INVITATIONS_PER_DAY,
  INVITATIONS_TO_ADDRESS_PER_DAY,
  type InvitationOutcome,
  invite,
  isReplacedToken,
  listInvitations,
  type OpenInvitation,
  type PendingInvitation,
  renewInvitation,
  withdrawInvitation,
} from './invitations.ts'
export { keyJson, keyState, permissionsJson, storeJson } from './json-forms.ts'
export {
  changeMemberRole,
  findMemberRole,
  MEMBER_ROLES,
  type MemberRole,
  type RoleOutcome,
} from './member-roles.ts'
export {
  addMembership,
  CHOSEN_LINK_MINUTES,
  deleteEndedSignIns,
  listMembers,
  listMerchants,
  type MemberStore,
  noteOpenedStore,
  removeMember,
  removeMembership,
  removeMerchant,
  removePasskeys,
  resetTwoFactor,
  type StoreMember,
  setMerchantLanguage,
  storesOfMerchant,
  UnknownMerchant,
} from './merchants.ts'
export { MigrationError, migrate, missingMigrations } from './migrate.ts'
export { type MovedStores, moveStores } from './move-stores.ts'
export { UNSAFE_CHARACTERS, withoutDirectionControls } from './names.ts'
export { announceNode, type NodeServer, NodesWithoutSecret, requireServiceSecret, whyNotServing } from './nodes.ts'
export { InvalidEmailError, parseEmail } from './parse-email.ts'
export {
  DecryptionError,
  decryptPassword,
  ENCRYPTION_KEY_BYTES,
  type EncryptedPassword,
  EncryptionKey,
  type EncryptionKeys,
} from './password-encryption.ts'
export { proveAddress } from './prove-address.ts'
export { isUuid, type RandomBytes } from './random.ts'
export { type RevocationEvent, replayRevocations } from './replay-revocations.ts'
export { rotateSecrets } from './rotate-secrets.ts'
export { Secret } from './secret.ts'
export { readCursorSecret, readDashboardSecret } from './service-secrets.ts'
export { type AddedMember, addMember, LastAdminError, setMember } from './set-member.ts'
export { countAttempt, deleteEndedWindows, discountAttempt } from './sign-in-attempts.ts'
export { countSignInResets, endOutdatedSession, whileSignedIn } from './sign-in-resets.ts'
export {
  COMMAND_LINE_SESSION,
  EVENTS_PER_PAGE,
  OTHER_ACTORS,
  type OtherActor,
  readStoreActors,
  readStoreEvents,
  STORE_ACTIONS,
  type StoreAction,
  type StoreActor,
  type StoreEvent,
  type StoreEventFilter,
} from './store-events.ts'
export { connectionUrlOf, decryptStoreUrl } from './store-url.ts'
export {
  addStore,
  checkExternalId,
  checkSchemaName,
  checkStoreName,
  getStore,
  InvalidStoreError,
  listStores,
  pageOfStores,
  type RegisteredStore,
  type RegistryContext,
  registeredAmong,
  removeStore,
  requireStore,
  type StoreOrigin,
  type StoreState,
  setStore,
  UnknownStore,
} from './stores.ts'
export { readSecondFactor, type SecondFactor, type SecondFactorKind, setTwoFactorRule } from './two-factor-rule.ts'
export {
  type KeyActivity,
  type LastError,
  type RequestLine,
  type RequestLogQuery,
  readActivity,
  readLastErrors,
  readLoggedEndpoints,
  readRequestLog,
  readTurnedOn,
  readUnfinishedWalks,
  readUsageHours,
  readUsageSums,
  readWalks,
  readWholeRequestLog,
  type UnfinishedWalk,
  type UsageHour,
  type UsageSums,
  type Walk,
} from './usage/reading.ts'
export type { RecordedRequest, UsageOutcome, WalkStep } from './usage/recorded-request.ts'
export { createUsageRecorder, type UsageRecorder } from './usage/recorder.ts'
export type { RejectedRequest } from './usage/rejected-keys.ts'
export { deleteOldUsage, sumUpOldHours, usageHoursSince } from './usage/retention.ts'
export { LostWorkersError, readWorkers, type Worker } from './workers.ts'
