// `store-export migrate`: brings the control database to this version.

import { randomBytes } from 'node:crypto'
import { migrate } from '@store-export/control'
import type { Command } from 'commander'
import { findControlTarget, type ProcessContext } from '../command-context.ts'
import { printJson, printMessage } from '../output.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

/** Adds the command. */
export function addMigrateCommand(program: Command, processContext: ProcessContext): void {
  addCommand(program, 'migrate', 'bring the control database to this version; safe when run twice at once').action(
    async ({ json }: CommonOptions) => {
      const { controlUrl } = await findControlTarget(processContext)
      const applied = await migrate({ url: controlUrl, random: randomBytes })
      if (json) printJson({ applied })
      else
        printMessage(applied.length === 0 ? 'The control database is up to date.' : `Applied: ${applied.join(', ')}.`)
    },
  )
}
