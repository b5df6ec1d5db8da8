// The engine's public face: admits keys and reads stores; knows no HTTP.

export { type Admission, admit } from './access/admission.ts'
export { type Admitter, ControlDatabaseFault, createAdmitter } from './access/admitter.ts'
export { HashedKey, hashApiKey, makeApiKey, PlainKey, parseApiKey, visibleParts } from './access/api-key.ts'
export {
  createKey,
  KeyLimitReached,
  KeyNameProblem,
  type KeySummary,
  listKeys,
  type NewKey,
  revokeKey,
} from './access/key-ring.ts'
export { type Config, readConfig, SETTINGS, SettingProblem, settingsHelp } from './config.ts'
export { openPool, type Sql } from './connection.ts'
export { ConnectionUrlProblem, describeTls, parseConnectionUrl, splitPassword, withPassword } from './connection-url.ts'
export { type ControlDatabase, openControlDatabase } from './control/database.ts'
export { MigrationProblem, migrate, missingMigrations } from './control/migrate.ts'
export { rotateSecrets } from './control/rotate-secrets.ts'
export { SealingKey, type SealingKeys, SealingProblem } from './control/sealing.ts'
export { loadSecrets } from './control/secrets.ts'
export { readServiceSecret } from './control/service-secrets.ts'
export {
  addStore,
  getStore,
  listStores,
  openStoreUrl,
  type RegisteredStore,
  type RegistryContext,
  removeStore,
  type StoreOrigin,
  StoreProblem,
  type StoreState,
  setStore,
  UnknownStore,
} from './control/stores.ts'
export { createUsageRecorder, deleteOldUsage, type UsageOutcome, type UsageRecorder } from './control/usage.ts'
export type { PageWriter } from './encode/page-writer.ts'
export { createLog } from './log.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { combine, type KeyRefused, type Observation, type Observe } from './observe.ts'
export type { PresentColumns } from './query/columns-present.ts'
export type { Filter, Plan, Position } from './query/plan.ts'
export { type RandomBytes, randomUuid } from './random.ts'
export { redactAndCut } from './redact.ts'
export { Secret } from './secret.ts'
export { columnsStatement, StoreColumns } from './stores/columns.ts'
export { StoreCounts } from './stores/counts.ts'
export { forgetRemovedStores } from './stores/forget-removed.ts'
export { type StoreAddress, StorePools } from './stores/pools.ts'
export { StoreReader } from './stores/run.ts'
export { StoreDatabaseFault } from './stores/store-fault.ts'
