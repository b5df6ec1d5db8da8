// Implements `store-export demo`, which starts an embedded PostgreSQL and runs the whole service on it, without any
// setup. `demo change` changes an order of the running demo. This file orders the steps of the start. The folder demo/
// has the stores and their data.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { migrate, openControlDatabase } from '@store-export/control'
import { executeOn, identifier, queryRows, sql } from '@store-export/postgres'
import type { Command } from 'commander'
import { type ControlTarget, connectOnce, type ProcessContext, readSettings } from '../command-context.ts'
import type { Config } from '../config.ts'
import { changeOrder } from '../demo/change-order.ts'
import {
  CONTROL_DATABASE,
  DATA_FOLDER,
  type DemoKeys,
  ensureDemoSecret,
  loadDemoSecrets,
  storeSignIn,
} from '../demo/data-folder.ts'
import { ensureDemoKeys } from '../demo/demo-keys.ts'
import { type DemoSignIn, ensureDemoMerchant } from '../demo/demo-merchant.ts'
import type { DemoStore } from '../demo/demo-stores.ts'
import { formatPanel, type PanelContent } from '../demo/panel.ts'
import { createProgress, type StepProgress } from '../demo/progress.ts'
import { repointStores } from '../demo/repoint-stores.ts'
import { setUpStores } from '../demo/set-up-stores.ts'
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from '../embedded/embedded-postgres.ts'
import { type Lifecycle, startLifecycle } from '../lifecycle.ts'
import { requireFreePort } from '../listen.ts'
import { createLog, type Log } from '../log.ts'
import { print, printJson, printMessage, styled } from '../output.ts'
import { shutdownTimeoutMs, startServing } from '../start-serving.ts'
import { EXIT_FAILED, UserError } from '../user-error.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

/** What all steps of the start use. */
interface Demo {
  readonly config: Config
  /** Absolute path. */
  readonly dataFolder: string
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly progress: StepProgress
}

/**
 * Connections to the control database during the setup. Few are enough, because the setup runs one statement after
 * another.
 */
const SETUP_POOL_SIZE = 2

export function addDemoCommand(program: Command, processContext: ProcessContext): void {
  const demo = addCommand(
    program,
    'demo',
    'run the API and the dashboard with demo stores. Their PostgreSQL is embedded, and its data is in .data/.',
  ).action((options: CommonOptions) => startDemo(processContext, options))
  addCommand(demo, 'change', 'change one order of the running demo. The next incremental sync returns it.').action(
    (_options: CommonOptions, command: Command) => change(processContext, command.optsWithGlobals<CommonOptions>()),
  )
}

async function change({ folder }: ProcessContext, { json }: CommonOptions): Promise<void> {
  const dataFolder = path.join(folder, DATA_FOLDER)
  const postgres = await findRunningPostgres(dataFolder)
  if (postgres === undefined) throw new UserError(`no demo runs in ${dataFolder}; start it with "npm start"`)
  const changed = await changeOrder(postgres.url)
  if (changed === null)
    throw new UserError(
      'no order of the demo is pending, paid, or shipped; stop the demo, delete .data/, and start it again',
    )
  if (json) return printJson(changed)
  const { store, order_id: id, before, status } = changed
  print(`Changed order ${id} of ${store} from ${before} to ${status}. The next incremental sync returns it.`)
}

async function startDemo({ env, folder }: ProcessContext, { json }: CommonOptions): Promise<void> {
  const config = readSettings(demoEnvironment(env))
  // The log goes to standard error, so that you can separate it from the panel.
  const log = createLog({ level: config.logLevel, fd: 2 })
  const lifecycle = startLifecycle({ timeoutMs: shutdownTimeoutMs(config), emit: log.handleEvent })
  const dataFolder = path.join(folder, DATA_FOLDER)
  const progress = createProgress(process.stderr, () => performance.now())
  try {
    const facts = await run({ config, dataFolder, log, lifecycle, progress })
    if (json) printJson(summary(facts))
    else print(formatPanel(facts, styled))
  } catch (error) {
    // A signal during the start closes what the start uses, so the error results from the signal. The lifecycle closes
    // the rest.
    if (lifecycle.signal.aborted) return
    await lifecycle.close('failed start')
    throw error
  }
}

/**
 * Returns the environment with the defaults of the demo: the reference page can send requests, the log has only
 * warnings and errors, and there is no lame-duck time, which only a load balancer needs. Leaves out the URL of the
 * control database and its secret, because the demo always uses those of .data/.
 */
function demoEnvironment(env: ProcessContext['env']): ProcessContext['env'] {
  const { STORE_EXPORT_DATABASE_URL, STORE_EXPORT_SECRET, STORE_EXPORT_SECRET_FILE, ...rest } = env
  if (STORE_EXPORT_DATABASE_URL !== undefined && STORE_EXPORT_DATABASE_URL !== '') {
    printMessage(
      'warning: STORE_EXPORT_DATABASE_URL has no effect on the demo, which has its own databases; use "store-export serve"',
    )
  }
  const set = Object.entries(rest).filter(([, value]) => value !== undefined && value.trim() !== '')
  const defaults = {
    STORE_EXPORT_DOCS_TRY_IT: 'on',
    STORE_EXPORT_LOG_LEVEL: 'warn',
    STORE_EXPORT_LAME_DUCK_SECONDS: '0',
  }
  return { ...defaults, ...Object.fromEntries(set) }
}

async function run(demo: Demo): Promise<PanelContent> {
  const { config, lifecycle, log } = demo
  await requirePorts(demo)
  const postgres = await startPostgres(demo)
  const setup = setUp(demo, postgres)
  // PostgreSQL stops only after the current step of the setup.
  lifecycle.onClose(() => setup.catch(() => undefined))
  const { context, stores, keys, signIn } = await setup
  const { url, dashboardUrl, operationsUrl } = await startServing({ ...context, log, lifecycle, dashboard: true })
  const dashboard = { ...signIn, url: dashboardUrl ?? '' }
  await storeSignIn(demo.dataFolder, dashboard)
  return { url: localUrl(url, config), operationsUrl, stores, keys, dashboard }
}

/**
 * Rejects with `UserError` if a port is taken. The check comes first, because a first start listens only after about
 * ten seconds.
 */
async function requirePorts({ config, dataFolder }: Demo): Promise<void> {
  const { host, port, operationsPort, dashboardPort } = config
  try {
    await requireFreePort({ host, port, portSetting: 'STORE_EXPORT_PORT' })
    await requireFreePort({ host, port: dashboardPort, portSetting: 'STORE_EXPORT_DASHBOARD_PORT' })
    await requireFreePort({ host, port: operationsPort, portSetting: 'STORE_EXPORT_OPERATIONS_PORT' })
  } catch (error) {
    if (!(error instanceof UserError) || (await findRunningPostgres(dataFolder)) === undefined) throw error
    throw new UserError(`${error.message}. A demo already runs in this folder; use it, or stop it first`, {
      cause: error,
    })
  }
}

async function startPostgres({ dataFolder, lifecycle, progress, log }: Demo): Promise<EmbeddedPostgres> {
  const start = () =>
    startEmbeddedPostgres({
      dataFolder,
      onNotice: ({ type, text }) => {
        printMessage(`  ${text}`)
        // Without PostgreSQL, the demo can't serve requests. It exits with an error, so that a supervisor restarts it.
        if (type === 'ended') void lifecycle.close(text).then(() => process.exit(EXIT_FAILED))
      },
    })
  // The setup writes this file after it has created the stores.
  const isFirst = !existsSync(path.join(dataFolder, 'demo.json'))
  if (isFirst)
    printMessage(`\n  ${styled('bold', 'The first start creates the demo stores in .data/', process.stderr)}\n`)
  const startedAt = performance.now()
  const postgres = isFirst ? await progress.step('PostgreSQL', start) : await start()
  lifecycle.onClose(() => postgres.stop())
  log.handleEvent({
    event: 'embedded_postgres.started',
    durationMs: Math.round(performance.now() - startedAt),
    directory: dataFolder,
  })
  return postgres
}

/**
 * Creates what is missing: the secret, the control database, the stores, their keys, and the merchant. Also migrates an
 * existing control database.
 */
async function setUp(
  { config, dataFolder, lifecycle, progress, log }: Demo,
  postgres: EmbeddedPostgres,
): Promise<{ context: ControlTarget; stores: readonly DemoStore[]; keys: DemoKeys; signIn: DemoSignIn }> {
  const random = randomBytes
  await ensureDemoSecret(dataFolder, random)
  const controlUrl = postgres.url(CONTROL_DATABASE)
  const adminUrl = postgres.url('postgres')
  await ensureControlDatabase(adminUrl)
  log.handleEvent({ event: 'control.migrated', applied: await migrate({ url: controlUrl, random }) })
  const context = { config, controlUrl, keys: loadDemoSecrets(dataFolder, config.secretPrevious) }
  const database = openControlDatabase(controlUrl, { poolSize: SETUP_POOL_SIZE })
  try {
    const registry = { database, keys: context.keys, random }
    const stores = await setUpStores({ registry, adminUrl, progress, signal: lifecycle.signal })
    await repointStores(registry, adminUrl)
    const storeIds = stores.map(({ id }) => id)
    const keys = await ensureDemoKeys({ database, random, keyPrefix: config.keyPrefix, dataFolder, storeIds })
    const signIn = await ensureDemoMerchant({ ...registry, config, dataFolder, storeIds })
    return { context, stores, keys, signIn }
  } finally {
    await database.close()
  }
}

async function ensureControlDatabase(adminUrl: string): Promise<void> {
  const admin = await connectOnce(adminUrl)
  try {
    const [found] = await queryRows(admin, sql`select from pg_database where datname = ${CONTROL_DATABASE}`)
    if (found === undefined)
      // The default template1 can have sessions or additions. template0 has neither.
      await executeOn(admin, sql`create database ${identifier(CONTROL_DATABASE)} template template0`)
  } finally {
    await admin.close()
  }
}

/** Returns the address for programs on this machine. An API that listens on all addresses gets 127.0.0.1. */
function localUrl(url: string, { host }: Config): string {
  // `URL` leaves out the default port.
  const { port } = new URL(url)
  return host === '0.0.0.0' || host === '::' ? `http://127.0.0.1:${port || '80'}` : url
}

function summary({ url, operationsUrl, stores, keys, dashboard }: PanelContent) {
  const described = stores.map((store) => ({
    id: store.id,
    name: store.name,
    kind: store.kind,
    revision: store.kind === 'filled' ? store.revision : null,
    key_id: keys.get(store.id)?.id ?? null,
    key: keys.get(store.id)?.key ?? null,
  }))
  return {
    url,
    docs_url: `${url}/docs`,
    operations_url: operationsUrl,
    dashboard_url: dashboard.url,
    email: dashboard.email,
    password: dashboard.password,
    key: described[0]?.key ?? null,
    stores: described,
  }
}
