import { expect, test } from 'vitest'
import { serveMcp } from './mcp-server.ts'

/** Returns the responses to the lines, without the fixed members. */
async function responsesTo(...lines: string[]): Promise<unknown[]> {
  const responses: unknown[] = []
  await serveMcp(linesAsInput(lines), {
    version: '0',
    instructions: '',
    tools: [],
    call: async () => ({ text: '', isError: false }),
    writeLine: (line) => responses.push(JSON.parse(line)),
  })
  return responses
}

async function* linesAsInput(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`
}

test.each([
  ['a method that is a number', '{"jsonrpc":"2.0","id":3,"method":5}'],
  ['an ID that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
  ['a batch', '[{"jsonrpc":"2.0","id":2,"method":"ping"}]'],
])('if an MCP client sends %s, the response is the error "invalid request"', async (_what, line) => {
  expect(await responsesTo(line)).toMatchObject([{ id: null, error: { code: -32600 } }])
})

test('if an MCP client sends a notification or a response, the server sends no response', async () => {
  expect(await responsesTo('{"method":"notifications/initialized"}', '{"id":1,"result":{}}')).toEqual([])
})

test('if an MCP client requests the older version 2025-03-26, the server offers version 2025-11-25', async () => {
  const line = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}'
  expect(await responsesTo(line)).toMatchObject([{ id: 1, result: { protocolVersion: '2025-11-25' } }])
})
