// Adds commands and groups of commands to the program.

import type { Command } from 'commander'

/** The option of every command. Without `--json`, results are text for people. */
export interface CommonOptions {
  readonly json?: true
}

/** Adds a command with the option `--json`, whose help is `json`, and returns it. */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  json = 'print the result as JSON',
): Command {
  return parent.command(name).description(description).option('--json', json)
}

/** Adds a command that only contains other commands, and returns it. */
export function addCommandGroup(program: Command, name: string, description: string): Command {
  return program.command(name).description(description)
}
