// Connects the client of the official MCP SDK to `store-sync mcp` over standard input and output.

import path from 'node:path'
import { COMPILE_CACHE } from '../../../../test/support/compile-cache.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', '..', 'src', 'main.ts')
const SDK: string = '@modelcontextprotocol/client'

export interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: object
}

/** The members of the SDK's client that the tests use. */
export interface McpClient {
  connect(transport: unknown): Promise<void>
  listTools(): Promise<{ readonly tools: readonly ListedTool[] }>
  callTool(call: { readonly name: string; readonly arguments?: object }): Promise<{
    readonly content: readonly { readonly type: string; readonly text: string }[]
    readonly isError?: boolean
  }>
  getInstructions(): string | undefined
  getServerVersion(): { readonly name: string; readonly version: string } | undefined
  close(): Promise<void>
}

interface ConnectOptions {
  /** How the client finds the protocol version. */
  readonly mode?: 'legacy' | 'auto'
  readonly file?: string
}

/** Starts the command with these arguments and returns a connected client. */
export async function connectMcp(
  args: readonly string[],
  { mode = 'legacy', file = COMMAND }: ConnectOptions = {},
): Promise<McpClient> {
  // The name of the module is a variable, so that the type check does not need the SDK.
  const { Client } = await import(SDK)
  const { StdioClientTransport } = await import(`${SDK}/stdio`)
  const client: McpClient = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const command = { command: process.execPath, args: [file, 'mcp', ...args] }
  await client.connect(new StdioClientTransport({ ...command, env: { ...COMPILE_CACHE }, stderr: 'ignore' }))
  return client
}

export async function callText(client: McpClient, name: string, args: object = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return content.map(({ text }) => text).join('\n')
}
