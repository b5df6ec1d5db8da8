// `store-export secrets`: replaces the secret that seals the passwords of store databases.

import { rotateSecrets } from '@store-export/control'
import type { Command } from 'commander'
import { type ProcessContext, withControl } from '../command-context.ts'
import { printJson, printMessage } from '../output.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'

/** Adds the commands. */
export function addSecretsCommands(program: Command, processContext: ProcessContext): void {
  const secrets = addCommandGroup(program, 'secrets', 'the secret that encrypts the passwords of stores')
  addCommand(
    secrets,
    'rotate',
    'encrypt all passwords with STORE_EXPORT_SECRET; run it when every node has this secret and the previous one',
  ).action(async ({ json }: CommonOptions) => {
    const rotation = await withControl(processContext, rotateSecrets)
    if (json) return printJson(rotation)
    const { resealed, unchanged } = rotation
    printMessage(
      `Encrypted ${resealed} passwords with STORE_EXPORT_SECRET; ${unchanged} were encrypted with it before.`,
    )
    printMessage('Now restart the nodes without STORE_EXPORT_SECRET_PREVIOUS.')
  })
}
