// Implements `store-export migrate`, which updates the control database and, with `--distributed`, distributes its
// tables over a Citus cluster. `serve` doesn't migrate: it refuses to start until this command has applied the missing
// migrations, so an operator chooses the time.

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
      if (distributed === undefined) return json ? printJson({ applied }) : undefined
      const { tables, repaired } = await distribute(controlUrl)
      if (json) printJson({ applied, distributed: tables, repaired })
      else if (tables.length > 0)
        printMessage(`Distributed: ${tables.join(', ')}. Restart every node, so that it uses the workers.`)
      else printMessage(`All tables were distributed before. Keys that differed on the workers: ${repaired}.`)
    })
}
