// `store-export stores`: the registry of stores, and databases for them. This file declares the arguments and options; the
// files stores-*.ts do the work.

import { LATEST_REVISION } from '@store-export/contract'
import { type Command, Option } from 'commander'
import { type ProcessContext, withControl } from '../command-context.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'
import { parseRevision } from './option-values.ts'
import { type GrantsOptions, grants, type UpgradeOptions, upgrade } from './stores-databases.ts'
import { type DropOrphanOptions, removeOrphan, showOrphans } from './stores-orphans.ts'
import { type ProvisionOptions, provision } from './stores-provision.ts'
import { type AddOptions, add, list, remove, type SetOptions, set } from './stores-registry.ts'

/** Adds the commands. */
export function addStoresCommands(program: Command, processContext: ProcessContext): void {
  const stores = addCommandGroup(program, 'stores', 'stores: register, make, upgrade, list, remove')
  addRegistryCommands(stores, processContext)
  addDatabaseCommands(stores, processContext)
}

const URL_HELP = 'connection URL of its database; - reads it from standard input'
const SCHEMA_HELP = 'schema of the database that its tables are in'
const ID_HELP = 'ID or external ID of the store'
const EXTERNAL_ID_HELP = "the platform's own ID of the store; if a store has it, that store is returned unchanged"

function addRegistryCommands(stores: Command, processContext: ProcessContext): void {
  addCommand(stores, 'add', 'register a store; nothing is connected (doctor does that)')
    .requiredOption('--name <text>', 'name of the store')
    .option('--external-id <id>', EXTERNAL_ID_HELP)
    .option('--database-url <url>', URL_HELP)
    .option('--schema <name>', SCHEMA_HELP, 'public')
    .addOption(
      new Option('--origin <word>', 'where it comes from').choices(['generated', 'imported']).default('generated'),
    )
    .addOption(new Option('--state <word>', 'how far it is').choices(['ready', 'generating']).default('ready'))
    .action((options: AddOptions) => withControl(processContext, (context) => add(context, options)))
  addCommand(
    stores,
    'set',
    'change the name, the state, the database or the schema of a store, from the next request on',
  )
    .argument('<id>', ID_HELP)
    .option('--name <text>', 'name in lists and in the dashboard; the API serves the name in the store database')
    .addOption(new Option('--state <word>', 'how far it is').choices(['ready', 'generating']))
    .option('--database-url <url>', URL_HELP)
    .option('--schema <name>', SCHEMA_HELP)
    .action((id: string, options: SetOptions) => withControl(processContext, (context) => set(context, id, options)))
  addCommand(stores, 'list', 'list the registered stores')
    .option('--orphans', 'list instead the databases and roles of "stores provision" that no registered store uses')
    .action(({ orphans, ...options }: CommonOptions & { orphans?: true }) =>
      withControl(processContext, (context) => (orphans ? showOrphans(context, options) : list(context, options))),
    )
  addCommand(stores, 'remove', 'end a store: revokes its keys and forgets its URL; leaves its database')
    .argument('<id>', ID_HELP)
    .action((id: string, options: CommonOptions) =>
      withControl(processContext, (context) => remove(context, id, options)),
    )
}

function addDatabaseCommands(stores: Command, processContext: ProcessContext): void {
  addCommand(stores, 'provision', 'make an empty store database on the server of the control database, and register it')
    .requiredOption('--name <text>', 'name of the store')
    .option('--external-id <id>', `${EXTERNAL_ID_HELP}; a killed run is resumed`)
    .requiredOption('--revision <revision>', `schema version: launch, v1.1 ... ${LATEST_REVISION}`, parseRevision)
    .action((options: ProvisionOptions) => withControl(processContext, (context) => provision(context, options)))
  addCommand(stores, 'drop-orphan', 'drop a database and its roles that "stores list --orphans" lists')
    .argument('<name>', 'name of the orphan')
    .option('--with-data', 'also drop a database that holds orders, products or customers; refused by default')
    .action((name: string, options: DropOrphanOptions) =>
      withControl(processContext, (context) => removeOrphan(context, name, options)),
    )
  addCommand(stores, 'grants', "print the SQL that makes the reader's role for a platform's own database")
    .requiredOption('--revision <revision>', `schema version: launch, v1.1 ... ${LATEST_REVISION}`, parseRevision)
    .option('--role <name>', 'name of the role', 'store_export_reader')
    .option('--schema <name>', SCHEMA_HELP, 'public')
    .option('--grants-only', 'for a role that exists: print what it needs in another database of its server')
    .action((options: GrantsOptions) => grants(options))
  addCommand(
    stores,
    'upgrade',
    "upgrade a store's schema and the reader's grants to a newer schema version, and add what older releases left out",
  )
    .argument('<id>', ID_HELP)
    .requiredOption('--to <revision>', `schema version: launch, v1.1 ... ${LATEST_REVISION}`, parseRevision)
    .option('--database-url <url>', "the owner's URL, for a database on another server; - reads it from standard input")
    .action((id: string, options: UpgradeOptions) =>
      withControl(processContext, (context) => upgrade(context, id, options)),
    )
}
