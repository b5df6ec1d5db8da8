// Declares the arguments and options of `store-export stores`, which registers stores and creates databases for them.
// stores-*.ts implement the commands.

import { LATEST_REVISION } from '@store-export/contract'
import { type Command, Option } from 'commander'
import { type ProcessContext, withControl } from '../command-context.ts'
import { UsageError } from '../user-error.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'
import { parseRevision } from './option-values.ts'
import { type GrantsOptions, grants, type UpgradeOptions, upgrade } from './stores-databases.ts'
import { type DropOrphanOptions, removeOrphan, showOrphans } from './stores-orphans.ts'
import { type ProvisionOptions, provision } from './stores-provision.ts'
import { type AddOptions, add, list, type MoveOptions, move, remove, type SetOptions, set } from './stores-registry.ts'
import { upgradeEvery } from './stores-upgrade-all.ts'

export function addStoresCommands(program: Command, processContext: ProcessContext): void {
  const stores = addCommandGroup(program, 'stores', 'register, create, move, upgrade, list, and remove stores')
  addRegistryCommands(stores, processContext)
  addDatabaseCommands(stores, processContext)
}

const URL_HELP = 'connection URL of the store database, or - to read it from standard input'
const SCHEMA_HELP = 'database schema that contains the tables of the store'
const ID_HELP = 'ID or external ID of the store'
const EXTERNAL_ID_HELP =
  'ID of the store on your platform. If a registered store has this ID, the command changes nothing and prints that store.'

function addRegistryCommands(stores: Command, processContext: ProcessContext): void {
  addCommand(
    stores,
    'add',
    'register a store. To check the connection to its database, run "store-export doctor" afterwards.',
  )
    .requiredOption('--name <text>', 'name of the store')
    .option('--external-id <id>', EXTERNAL_ID_HELP)
    .option('--database-url <url>', `${URL_HELP}. Required, unless --state is generating or --origin is imported.`)
    .option('--schema <name>', SCHEMA_HELP, 'public')
    .addOption(
      new Option(
        '--origin <origin>',
        'which platform hosts the store: yours (generated), or a different one (imported). The API serves only generated stores.',
      )
        .choices(['generated', 'imported'])
        .default('generated'),
    )
    .addOption(
      new Option(
        '--state <state>',
        'state of the store: ready, or generating while its database is being created. The API serves only ready stores.',
      )
        .choices(['ready', 'generating'])
        .default('ready'),
    )
    .action((options: AddOptions) => withControl(processContext, (context) => add(context, options)))
  addCommand(
    stores,
    'set',
    'change the name, state, database, schema, or two-factor rule of a store, from the next request on',
  )
    .argument('<id>', ID_HELP)
    .option('--name <text>', 'name in lists and in the dashboard. The name in the API comes from the store database.')
    .addOption(
      new Option(
        '--state <state>',
        'state of the store: ready, or generating while its database is being created. The API serves only ready stores.',
      ).choices(['ready', 'generating']),
    )
    .option('--database-url <url>', URL_HELP)
    .option('--schema <name>', SCHEMA_HELP)
    .addOption(
      new Option(
        '--require-two-factor <rule>',
        'whether members need two-factor sign-in, a passkey, or single sign-on to open the store in the dashboard',
      ).choices(['on', 'off']),
    )
    .action((id: string, options: SetOptions) => withControl(processContext, (context) => set(context, id, options)))
  addCommand(
    stores,
    'move',
    'change the host of all stores on a database server, from the next request on. Passwords and database names stay.',
  )
    .requiredOption('--from <server>', 'present host and port of the server, as in "store-export status"')
    .requiredOption('--to <server>', 'new host and port. Separate several hosts with commas.')
    .action((options: MoveOptions) => withControl(processContext, (context) => move(context, options)))
  addCommand(stores, 'list', 'list the registered stores')
    .option(
      '--orphans',
      'instead of stores, list databases and roles that "stores provision" created and that no store uses',
    )
    .action(({ orphans, ...options }: CommonOptions & { orphans?: true }) =>
      withControl(processContext, (context) => (orphans ? showOrphans(context, options) : list(context, options))),
    )
  addCommand(stores, 'remove', 'remove a store, revoke its keys, and delete its connection URL. The database stays.')
    .argument('<id>', ID_HELP)
    .action((id: string, options: CommonOptions) =>
      withControl(processContext, (context) => remove(context, id, options)),
    )
}

function addDatabaseCommands(stores: Command, processContext: ProcessContext): void {
  addCommand(
    stores,
    'provision',
    'create an empty store database on the server of the control database, and register the store',
  )
    .requiredOption('--name <text>', 'name of the store')
    .option(
      '--external-id <id>',
      `${EXTERNAL_ID_HELP} But if an earlier run for this store was interrupted, the command creates the missing database.`,
    )
    .requiredOption('--revision <revision>', `schema version: launch, v1.1 ... ${LATEST_REVISION}`, parseRevision)
    .action((options: ProvisionOptions) => withControl(processContext, (context) => provision(context, options)))
  addCommand(
    stores,
    'drop-orphan',
    'drop a database that no store uses, and its roles. "stores list --orphans" lists such databases.',
  )
    .argument('<name>', 'name from "stores list --orphans"')
    .option('--with-data', 'also drop a database that contains or may contain orders, products, or customers')
    .action((name: string, options: DropOrphanOptions) =>
      withControl(processContext, (context) => removeOrphan(context, name, options)),
    )
  addCommand(
    stores,
    'grants',
    "print the SQL that creates the reader's role: the role with which the service reads a database that your platform created",
  )
    .requiredOption('--revision <revision>', `schema version: launch, v1.1 ... ${LATEST_REVISION}`, parseRevision)
    .option('--role <name>', 'name of the role', 'store_export_reader')
    .option('--schema <name>', SCHEMA_HELP, 'public')
    .option(
      '--grants-only',
      'print only the privileges, without the statements that create the role. Use this if the role exists already.',
    )
    .action((options: GrantsOptions) => grants(options))
  addCommand(
    stores,
    'upgrade',
    'upgrade a store to a newer schema version, and let the service read its new columns. "stores provision" must have created the store.',
  )
    .argument('[id]', `${ID_HELP}, or --all`)
    .option(
      '--all',
      'upgrade all stores whose databases the service created, a few at the same time. A failed store does not stop the others.',
    )
    .requiredOption('--to <revision>', `schema version: launch, v1.1 ... ${LATEST_REVISION}`, parseRevision)
    .option(
      '--database-url <url>',
      'connection URL with which the owner of the tables connects to the store database, or - to read it from standard input. Required if the database is not on the server of the control database.',
    )
    .action((id: string | undefined, options: UpgradeOptions) => {
      const { all = false, databaseUrl } = options
      if (!all && id === undefined) throw new UsageError('the ID of the store is missing; add it, or add --all')
      if (all && id !== undefined) throw new UsageError('--all upgrades every store; leave out the ID')
      if (all && databaseUrl !== undefined) throw new UsageError('--database-url is for one store; leave out --all')
      return withControl(processContext, (context) =>
        id === undefined ? upgradeEvery(context, options) : upgrade(context, id, options),
      )
    })
}
