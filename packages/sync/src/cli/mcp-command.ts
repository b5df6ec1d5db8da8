// Implements `store-sync mcp`: serves a SQLite copy to an assistant over standard input and output.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { CopyError } from '../copies/copy.ts'
import type { CliContext } from './cli-context.ts'
import { CommandLineError } from './command-line-error.ts'

/** The unparsed options of `mcp`. */
export interface McpCommandOptions {
  readonly from: string
  /** Whether the assistant also sees columns that identify a person. */
  readonly withPersonalData?: true
}

/**
 * Serves until standard input ends or the signal aborts. Throws `CommandLineError` if `--from` is not `sqlite:FILE`.
 * Throws `CopyError` if the file is missing or not a copy, or if Node.js is older than 24.10. Throws
 * `CopyUnavailableError` if another program locks the file. Throws `Error` if a message of the host is too long.
 */
export async function mcpCommand(options: McpCommandOptions, context: CliContext, version: string): Promise<void> {
  const { output, signal } = context
  const withPersonalData = options.withPersonalData === true
  const file = parseFrom(options.from)
  await requireCopy(file)
  // These modules are imported here, because the other commands don't need them.
  const [{ callCopyTool }, { serveMcp }, { QueryRunner }, { instructions, toolDeclarations }] = await Promise.all([
    import('../mcp/copy-tools.ts'),
    import('../mcp/mcp-server.ts'),
    import('../mcp/query-runner.ts'),
    import('../mcp/tool-declarations.ts'),
  ])
  const runner = new QueryRunner()
  const { stdin } = process
  const stop = () => stdin.destroy()
  signal.addEventListener('abort', stop)
  const personal = withPersonalData ? 'shown' : 'hidden'
  output.writeMessage(`store-sync: serving ${file} to an MCP host, personal columns ${personal}\n`)
  try {
    await serveMcp(stdin, {
      version,
      instructions: instructions(withPersonalData),
      tools: toolDeclarations(withPersonalData),
      call: (name, args) => callCopyTool(name, args, { file, withPersonalData, runner, now: Date.now }),
      writeLine: output.writeResult,
    })
  } catch (error) {
    // A host ends a server with a signal. That is no error.
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
    runner.close()
  }
}

/** Returns the absolute path of the file in `--from`. Throws `CommandLineError` for any other value. */
function parseFrom(text: string): string {
  const [, file = ''] = /^sqlite:(.+)$/.exec(text) ?? []
  if (file === '') throw new CommandLineError(`--from: must be sqlite:FILE; got ${JSON.stringify(text.slice(0, 40))}`)
  return path.resolve(file)
}

/**
 * Throws `CopyError` unless Node.js can restrict statements, and the file is a copy. Throws `CopyUnavailableError` if
 * another program locks the file.
 */
async function requireCopy(file: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  if (DatabaseSync.prototype.setAuthorizer === undefined)
    throw new CopyError(
      `store-sync mcp needs Node.js 24.10 or later, because it restricts statements; ${process.execPath} is ${process.versions.node}; install a newer Node.js from https://nodejs.org, and start store-sync with it`,
    )
  if (!existsSync(file)) throw new CopyError(`${file} does not exist; run \`store-sync run --to sqlite:FILE\` first`)
  const { SqliteCopy } = await import('../copies/sqlite/sqlite-copy.ts')
  if ((await new SqliteCopy(file).peek()) === null)
    throw new CopyError(`${file} is not a copy; run \`store-sync run --to sqlite:FILE\` first`)
}
