// `store-export secrets`: replaces the secret that seals the passwords of store databases.

import { rotateSecrets } from '@store-export/control'
import type { Command } from 'commander'
import { type Surroundings, withControl } from '../context.ts'
import { printJson, say } from '../output.ts'
import { type CommonOptions, group, leaf } from './leaf.ts'

/** Adds the commands. */
export function addSecretsCommands(program: Command, surroundings: Surroundings): void {
  const secrets = group(program, 'secrets', 'the secret that encrypts the passwords of stores')
  leaf(
    secrets,
    'rotate',
    'encrypt all passwords with STORE_EXPORT_SECRET; run it when every node has this secret and the previous one',
  ).action(async ({ json }: CommonOptions) => {
    const rotation = await withControl(surroundings, rotateSecrets)
    if (json) return printJson(rotation)
    const { resealed, unchanged } = rotation
    say(`Encrypted ${resealed} passwords with STORE_EXPORT_SECRET; ${unchanged} were encrypted with it before.`)
    say('Now restart the nodes without STORE_EXPORT_SECRET_PREVIOUS.')
  })
}
