import { expect, test } from 'vitest'
import { newCell } from './cell.ts'
import { SERVER } from './message-reader.ts'
import { Session } from './session.ts'

test('if the server reports more than 100 parameters, the session stores the latest values of the first 100', () => {
  const session = new Session(undefined)
  const report = (name: string, value: string) =>
    session.receive(SERVER.parameterStatus, newCell(Buffer.from(`${name}\0${value}\0`)))
  for (let n = 1; n <= 101; n++) report(`name${n}`, 'first')
  report('name1', 'second')
  report('name100', 'second')
  report('name101', 'second')
  const { parameters } = session
  expect(['name1', 'name2', 'name100', 'name101'].map((name) => parameters.get(name))).toEqual([
    'second',
    'first',
    'second',
    undefined,
  ])
  expect(parameters.size).toBe(100)
})
