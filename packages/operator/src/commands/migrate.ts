// Implements `store-export migrate`. `serve` doesn't migrate: it refuses to start until this command has applied the
// missing migrations, so an operator chooses the time.

import { randomBytes } from 'node:crypto'
import { migrate } from '@store-export/control'
import type { Command } from 'commander'
import { findControlTarget, type ProcessContext } from '../command-context.ts'
import { printJson, printMessage } from '../output.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

export function addMigrateCommand(program: Command, processContext: ProcessContext): void {
  addCommand(program, 'migrate', 'apply missing migrations to the control database. Two runs at once are safe.').action(
    async ({ json }: CommonOptions) => {
      const { controlUrl } = await findControlTarget(processContext)
      const applied = await migrate({ url: controlUrl, random: randomBytes })
      if (json) printJson({ applied })
      else
        printMessage(applied.length === 0 ? 'The control database is up to date.' : `Applied: ${applied.join(', ')}.`)
    },
  )
}
