// Implements `store-export secrets rotate`, which encrypts the passwords of stores and the dashboard's secret with the
// new STORE_EXPORT_SECRET. It is one step of docs/operate/rotate-secrets.md. The nodes continue to run.

import { rotateSecrets } from '@store-export/control'
import type { Command } from 'commander'
import { type ProcessContext, withControl } from '../command-context.ts'
import { countOf, printJson, printMessage } from '../output.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'

export function addSecretsCommands(program: Command, processContext: ProcessContext): void {
  const secrets = addCommandGroup(program, 'secrets', 'replace the secret that encrypts the passwords in store URLs')
  addCommand(
    secrets,
    'rotate',
    "encrypt the store passwords, and the key that signs the dashboard's cookies, with a new STORE_EXPORT_SECRET. First set the new secret on every node and in your shell, with the old one in STORE_EXPORT_SECRET_PREVIOUS.",
  ).action(async ({ json }: CommonOptions) => {
    const rotation = await withControl(processContext, rotateSecrets)
    if (json) return printJson(rotation)
    const { reencrypted, unchanged } = rotation
    printMessage(
      `Encrypted ${countOf(reencrypted, 'password')} with STORE_EXPORT_SECRET; ${unchanged} needed no change.`,
    )
    printMessage('Remove STORE_EXPORT_SECRET_PREVIOUS from every node and restart the nodes.')
  })
}
