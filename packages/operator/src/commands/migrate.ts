// Implements `store-export migrate`. `serve` doesn't migrate: it refuses to start until this command has applied the
// missing migrations, so an operator chooses the time.

import { randomBytes } from 'node:crypto'
import { distribute, migrate } from '@store-export/control'
import { type Command, Option } from 'commander'
import { findControlTarget, type ProcessContext } from '../command-context.ts'
import { printJson, printMessage } from '../output.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

export function addMigrateCommand(program: Command, processContext: ProcessContext): void {
  addCommand(program, 'migrate', 'apply missing migrations to the control database. Two runs at once are safe.')
    .addOption(
      new Option(
        '--distributed <engine>',
        'also distribute the keys and their usage over the workers of a cluster',
      ).choices(['citus']),
    )
    .action(async ({ json, distributed }: CommonOptions & { readonly distributed?: 'citus' }) => {
      const { controlUrl } = await findControlTarget(processContext)
      const applied = await migrate({ url: controlUrl, random: randomBytes })
      if (!json)
        printMessage(applied.length === 0 ? 'The control database is up to date.' : `Applied: ${applied.join(', ')}.`)
      const isNew = distributed !== undefined && (await distribute(controlUrl))
      if (json) return printJson(distributed === undefined ? { applied } : { applied, distributed: isNew })
      if (isNew) printMessage('Distributed the keys and their usage. Restart every node, so that it uses the workers.')
      else if (distributed !== undefined) printMessage('The control database was distributed before.')
    })
}
