import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { consumeFormToken, deleteFormTokens } from './form-tokens.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

test('if two nodes get the same form token four times at once, the token is accepted exactly once', async () => {
  const tokenHash = Buffer.from('two')
  const nodes = [control.database, control.secondNode()]
  const results = await Promise.all(
    nodes.flatMap((node) => [consumeFormToken(node, tokenHash), consumeFormToken(node, tokenHash)]),
  )
  expect(results.filter(Boolean)).toHaveLength(1)
  await control.sql`update used_form_tokens set used_at = now() - interval '25 hours' where token_hash = ${tokenHash}`
  await deleteFormTokens(control.database, 24)
  expect(await consumeFormToken(control.database, tokenHash)).toBe(true)
})
