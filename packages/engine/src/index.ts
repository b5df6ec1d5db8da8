// The engine's public face: admits keys and reads stores; knows no HTTP.

export { type Admission, admit } from './access/admission.ts'
export { type Admitter, ControlDatabaseFault, createAdmitter } from './access/admitter.ts'
export { HashedKey, hashApiKey, makeApiKey, PlainKey, parseApiKey, visibleParts } from './access/api-key.ts'
export {
  createKey,
  findKeyByHash,
  KeyLimitReached,
  KeyNameProblem,
  KeyNotReplaceable,
  type KeySummary,
  listKeys,
  type NewKey,
  revokeKey,
} from './access/key-ring.ts'
export { type Config, readConfig, SETTINGS, SettingProblem, settingsHelp } from './config.ts'
export { openPool, type Sql } from './connection.ts'
export { ConnectionUrlProblem, describeTls, parseConnectionUrl, splitPassword, withPassword } from './connection-url.ts'
export { startAuditLog } from './control/audit.ts'
export { type ControlDatabase, openControlDatabase } from './control/database.ts'
export {
  addMembership,
  forgetEndedSignIns,
  listMerchants,
  type MerchantSummary,
  removeMembership,
  removeMerchant,
  storeOfMerchant,
  storesOfMerchant,
  UnknownMerchant,
} from './control/merchants.ts'
export { MigrationProblem, migrate, missingMigrations } from './control/migrate.ts'
export { announceNode, NodesWithoutSecret, requireServiceSecret, whyNotServing } from './control/nodes.ts'
export { type RevocationEvent, replayRevocations } from './control/replay-revocations.ts'
export { rotateSecrets } from './control/rotate-secrets.ts'
export { SealingKey, type SealingKeys, SealingProblem } from './control/sealing.ts'
export { loadSecrets } from './control/secrets.ts'
export { forgetSentForms, isFirstSending } from './control/sent-forms.ts'
export { readDashboardSecret, readServiceSecret } from './control/service-secrets.ts'
export {
  ATTEMPTS_MAX,
  type AttemptVerdict,
  countAttempt,
  forgetAttempts,
  forgiveAttempt,
} from './control/sign-in-attempts.ts'
export {
  addStore,
  getStore,
  listStores,
  openStoreUrl,
  type RegisteredStore,
  type RegistryContext,
  removeStore,
  requireStore,
  type StoreOrigin,
  StoreProblem,
  type StoreState,
  setStore,
  UnknownStore,
} from './control/stores.ts'
export type { UsageOutcome } from './control/usage/hours.ts'
export {
  type RequestLine,
  readRequestLog,
  readStoppedWalks,
  readUsageHours,
  readWalks,
  type StoppedWalk,
  type UsageHour,
  type Walk,
} from './control/usage/reading.ts'
export { createUsageRecorder, type RecordedRequest, type UsageRecorder } from './control/usage/recorder.ts'
export { deleteOldUsage, sumUpOldHours } from './control/usage/retention.ts'
export type { WalkStep } from './control/usage/walks.ts'
export type { PageWriter } from './encode/page-writer.ts'
export { createLog, type Log } from './log.ts'
export { combine, type KeyRefused, type Observation, type Observe } from './observe.ts'
export type { PresentColumns } from './query/columns-present.ts'
export type { Filter, PagePlan, Plan, Position, Search } from './query/plan.ts'
export { columnNamesAt, revisionOf, type SchemaRevision, type StoreRevision, schemaRevision } from './query/revision.ts'
export { isUuid, type RandomBytes, randomUuid } from './random.ts'
export { redactAndCut } from './redact.ts'
export { Secret } from './secret.ts'
export { Barrier } from './stores/barrier.ts'
export { StoreColumns } from './stores/columns.ts'
export { StoreCounts } from './stores/counts.ts'
export { forgetRemovedStores } from './stores/forget-removed.ts'
export { type Look, lookAtTransactions, type OpenTransaction } from './stores/open-transactions.ts'
export { type StoreAddress, StorePools } from './stores/pools.ts'
export { StoreReader } from './stores/run.ts'
export { StoreDatabaseFault } from './stores/store-fault.ts'
export { sessionSettings } from './stores/store-pool.ts'
export { TimeLimitPassed, within } from './within.ts'
