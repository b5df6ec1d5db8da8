// `store-export migrate`: brings the control database to this version.

import { randomBytes } from 'node:crypto'
import { migrate } from '@store-export/control'
import type { Command } from 'commander'
import { findPlace, type Surroundings } from '../context.ts'
import { printJson, say } from '../output.ts'
import { type CommonOptions, leaf } from './leaf.ts'

/** Adds the command. */
export function addMigrateCommand(program: Command, surroundings: Surroundings): void {
  leaf(program, 'migrate', 'bring the control database to this version; safe when run twice at once').action(
    async ({ json }: CommonOptions) => {
      const { controlUrl } = await findPlace(surroundings)
      const applied = await migrate({ url: controlUrl, random: randomBytes })
      if (json) printJson({ applied })
      else say(applied.length === 0 ? 'The control database is up to date.' : `Applied: ${applied.join(', ')}.`)
    },
  )
}
