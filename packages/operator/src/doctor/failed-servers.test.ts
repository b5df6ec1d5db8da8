import type { RegisteredStore } from '@store-export/control'
import { expect, test } from 'vitest'
import { skipFailedServers } from './failed-servers.ts'
import { findingsOf } from './report.ts'

/** Examines stores on servers with these names. Returns the codes of their findings, and how many were examined. */
async function examineOn(
  servers: readonly string[],
  isDown = (server: string): boolean => server === 'down',
  codeOfFailure = 'unreachable',
) {
  let examined = 0
  const examine = skipFailedServers(async ({ id, name }) => {
    examined += 1
    const findings = isDown(name) ? [{ severity: 'error', code: codeOfFailure, message: 'x', fix: null } as const] : []
    return { id, name, revision: null, checks: [{ name: 'connection', summary: null, findings }] }
  })
  const codes: string[] = []
  for (const [index, name] of servers.entries()) {
    const store = { id: String(index), name, databaseUrl: `postgres://${name}/shop` } as RegisteredStore
    codes.push(findingsOf((await examine(store)).checks)[0]?.code ?? 'ok')
  }
  return { codes, examined }
}

test("after three stores of a server could not be reached, doctor skips the server's other stores, and still examines stores of other servers", async () => {
  const { codes, examined } = await examineOn(['down', 'up', 'down', 'down', 'down', 'up'])
  expect(codes).toEqual(['unreachable', 'ok', 'unreachable', 'unreachable', 'skipped', 'ok'])
  expect(examined).toBe(5)
})

test("if every third store of a server can be reached, doctor skips none of the server's stores", async () => {
  let count = 0
  const { examined } = await examineOn(['a', 'a', 'a', 'a', 'a', 'a'], () => ++count % 3 !== 0)
  expect(examined).toBe(6)
})

test('if four databases of a server accept the connection and then hang, doctor still examines the fifth', async () => {
  const { examined } = await examineOn(['a', 'a', 'a', 'a', 'a'], () => true, 'no_response')
  expect(examined).toBe(5)
})
