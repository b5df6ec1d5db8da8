// Serves tools over the stdio transport of the Model Context Protocol: one JSON-RPC message per line. The server has no
// state, and implements only the requests that tools need
// (docs/contribute/decisions/057-implement-the-stdio-part-of-mcp.md).

/** A tool as `tools/list` returns it. */
export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: object
  readonly annotations: object
}

/** The result of a call. If `isError` is true, the text says why the call failed, and what to do. */
export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

/** What the server says about itself, its tools, and where it writes. */
export interface McpServerOptions {
  /** Version of store-sync. */
  readonly version: string
  /** Text for the assistant about all tools. */
  readonly instructions: string
  readonly tools: readonly ToolDeclaration[]
  /** Calls a declared tool. If it throws, the response is an internal error with the message. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>
  /** Writes a line to standard output. */
  readonly writeLine: (line: string) => void
}

/**
 * Protocol versions that have the same messages for these requests, newest first. Version 2025-03-26 is not among them,
 * because it also has batches.
 */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2024-11-05'] as const
/** Longest message of a client, in characters. */
const MESSAGE_CHARACTERS_MAX = 1_000_000
const [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR] = [
  -32700, -32600, -32601, -32602, -32603,
]

/**
 * Handles messages concurrently until the input ends, and then waits for the running calls. Throws without waiting for
 * them if the input fails, or if 1,000,000 characters of a message have arrived without the end of its line.
 */
export async function serveMcp(input: AsyncIterable<Buffer | string>, options: McpServerOptions): Promise<void> {
  const running = new Set<Promise<void>>()
  for await (const line of linesOf(input)) {
    const handled = handleLine(line, options).finally(() => running.delete(handled))
    running.add(handled)
  }
  await Promise.all(running)
}

async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of input) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MESSAGE_CHARACTERS_MAX)
      throw new Error(`a message is longer than ${MESSAGE_CHARACTERS_MAX} characters`)
    yield* lines.filter((line) => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}

type Id = string | number

interface Message {
  /** ID of a request; null for a notification or a response, which the server ignores. */
  readonly id: Id | null
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

async function handleLine(line: string, options: McpServerOptions): Promise<void> {
  const message = parseMessage(line)
  const reply = (members: object) => options.writeLine(JSON.stringify({ jsonrpc: '2.0', ...members }))
  if ('error' in message) return reply({ id: null, error: message.error })
  const { id } = message
  // A notification gets no response. The server sends no requests, so it expects no responses either.
  if (id === null) return
  try {
    reply({ id, ...(await respond(message, options)) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    reply({ id, error: { code: INTERNAL_ERROR, message: `internal error: ${reason}` } })
  }
}

function parseMessage(line: string): Message | { readonly error: object } {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return { error: { code: PARSE_ERROR, message: 'the message is not JSON' } }
  }
  if (!isRecord(json)) return { error: { code: INVALID_REQUEST, message: 'the message must be a JSON object' } }
  const { id, method, params } = json
  const hasId = typeof id === 'string' || typeof id === 'number'
  if (method !== undefined && (typeof method !== 'string' || (id !== undefined && !hasId)))
    return { error: { code: INVALID_REQUEST, message: 'method must be a string, and id a string or a number' } }
  return {
    id: method !== undefined && hasId ? id : null,
    method: String(method),
    params: isRecord(params) ? params : {},
  }
}

async function respond({ method, params }: Message, options: McpServerOptions): Promise<object> {
  switch (method) {
    case 'initialize':
      return { result: initializeResult(params, options) }
    case 'ping':
      return { result: {} }
    case 'tools/list':
      return { result: { tools: options.tools } }
    case 'tools/call':
      return callTool(params, options)
    default:
      return { error: { code: METHOD_NOT_FOUND, message: `unknown method ${JSON.stringify(method.slice(0, 100))}` } }
  }
}

function initializeResult({ protocolVersion }: Message['params'], { version, instructions }: McpServerOptions): object {
  const [latest] = PROTOCOL_VERSIONS
  return {
    protocolVersion: PROTOCOL_VERSIONS.find((each) => each === protocolVersion) ?? latest,
    capabilities: { tools: {} },
    serverInfo: { name: 'store-sync', version },
    instructions,
  }
}

async function callTool(params: Message['params'], { tools, call }: McpServerOptions): Promise<object> {
  const tool = tools.find(({ name }) => name === params.name)
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ')
    return { error: { code: INVALID_PARAMS, message: `unknown tool; the tools are ${names}` } }
  }
  const { text, isError } = await call(tool.name, isRecord(params.arguments) ? params.arguments : {})
  return { result: { content: [{ type: 'text', text }], isError } }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
