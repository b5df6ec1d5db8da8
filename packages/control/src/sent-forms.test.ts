import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { forgetSentForms, isFirstSending } from './sent-forms.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

test('a form counts once over two nodes until its token is deleted', async () => {
  const number = Buffer.from('two')
  const nodes = [control.database, control.secondNode()]
  const sendings = await Promise.all(
    nodes.flatMap((node) => [isFirstSending(node, number), isFirstSending(node, number)]),
  )
  expect(sendings.filter(Boolean)).toHaveLength(1)
  await control.sql`update sent_forms set sent_at = now() - interval '25 hours' where number = ${number}`
  await forgetSentForms(control.database, 24)
  expect(await isFirstSending(control.database, number)).toBe(true)
})
